/**
 * Tape link: a tape in the place of a Claude CLI.
 *
 * Says what the recording says and waits where it waited, at once or at the
 * recorded speed. Lines never come within the call that asked for them. A host that
 * departs from the tape is told how, as the reason the link closes.
 */
import type { Link, LinkEnds } from "../wire/index.ts";
import { Cursor, type Step } from "./cursor.ts";
import type { AwaitedFrame, Tape } from "./tape.ts";

export interface TapeOptions {
  /** A clock to play at the recorded speed; without one everything comes at once. */
  readonly after?: ((delayMs: number, run: () => void) => () => void) | undefined;
  /** The tape stands still until the host says this; undefined when all is said. */
  readonly onWait?: ((awaited: AwaitedFrame | undefined) => void) | undefined;
}

export interface TapeLink extends Link {
  /** Goes on without what is waited for. */
  readonly skip: () => void;
}

export function tapeLink(tape: Tape, options: TapeOptions = {}): TapeLink {
  return new Player(new Cursor(tape), options);
}

class Player implements TapeLink {
  readonly #cursor: Cursor;
  readonly #options: TapeOptions;
  #ends: LinkEnds | undefined;
  #isPaused = false;
  #isClosed = false;
  #isScheduled = false;
  /** What was told to `onWait` last; `null` while the tape plays. */
  #waitsFor: AwaitedFrame | undefined | null = null;
  #atMs = 0;
  /** What is said when its time has come. */
  #due: Step | undefined;
  #callOff = (): void => {};

  constructor(cursor: Cursor, options: TapeOptions) {
    this.#cursor = cursor;
    this.#options = options;
  }

  readonly open = (ends: LinkEnds): void => {
    this.#ends = ends;
    this.#schedule();
  };

  readonly send = (line: string): boolean => {
    const departure = this.#isClosed ? undefined : this.#cursor.hear(line);
    // A host that says its last words and hangs up does not depart; it goes.
    if (departure !== undefined) queueMicrotask(() => this.close(departure));
    this.#schedule();
    return true;
  };

  readonly pause = (): void => {
    this.#isPaused = true;
  };

  readonly resume = (): void => {
    this.#isPaused = false;
    this.#schedule();
  };

  readonly skip = (): void => {
    this.#cursor.skip();
    this.#schedule();
  };

  readonly close = (reason: string): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#callOff();
    queueMicrotask(() => this.#ends?.onClose(reason));
  };

  #schedule(delayMs = 0): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    const { after } = this.#options;
    if (after === undefined || delayMs === 0) setImmediate(this.#play);
    else this.#callOff = after(delayMs, this.#play);
  }

  /** One line at a time, so that the host can act on each as it could on a real one. */
  readonly #play = (): void => {
    this.#isScheduled = false;
    if (this.#ends === undefined || this.#isPaused || this.#isClosed) return;
    const step = this.#due ?? this.#cursor.next();
    this.#due = undefined;
    if (step.kind === "rest") return this.#wait(undefined);
    const delayMs = Math.max(0, step.atMs - this.#atMs);
    this.#atMs = step.atMs;
    if (step.kind === "wait") return this.#wait(step.frame);
    this.#waitsFor = null;
    if (this.#options.after !== undefined && delayMs > 0) {
      this.#due = step;
    } else if (step.kind === "say") {
      this.#ends.onLine(step.line);
    } else {
      this.close(step.why);
    }
    this.#schedule(this.#due === undefined ? 0 : delayMs);
  };

  /** Told once for each thing waited for. */
  #wait(frame: AwaitedFrame | undefined): void {
    if (this.#waitsFor === frame) return;
    this.#waitsFor = frame;
    this.#options.onWait?.(frame);
  }
}
