/**
 * Tape link: a tape in the place of a Claude CLI, or of an agent.
 *
 * Says what the recording says and waits where it waited, at once or at the
 * recorded speed. Lines never come within the call that asked for them. To a CLI's
 * host that departs from the tape the link closes and says how; an agent's client is
 * answered with an error, and may go on.
 */
import type { Schedule, Link, LinkCallbacks } from "../wire/index.ts";
import { AcpPlayback } from "./acp-playback.ts";
import type { AcpTape } from "./acp-tape.ts";
import { ClaudePlayback } from "./claude-playback.ts";
import type { PlaybackReply, Playback, PlaybackStep } from "./playback.ts";
import type { AwaitedFrame, Tape } from "./claude-tape.ts";

export interface TapeOptions<Awaited = AwaitedFrame> {
  /** A clock to play at the recorded speed; without one everything comes at once. */
  readonly after?: Schedule | undefined;
  /** The tape stands still until the host says this; undefined when all is said. */
  readonly onWait?: ((awaited: Awaited | undefined) => void) | undefined;
  /** How the host departs from the tape. */
  readonly onMismatch?: ((sentence: string) => void) | undefined;
}

export interface TapeLink extends Link {
  /** Goes on without what is waited for. */
  readonly skip: () => void;
}

export function tapeLink(tape: Tape, options: TapeOptions = {}): TapeLink {
  return new Player(new ClaudePlayback(tape), options, false);
}

export interface AgentTapeOptions extends TapeOptions<string> {
  /** Prompts are held to the tape too. */
  readonly isStrict?: boolean | undefined;
}

export interface AgentTapeLink extends TapeLink {
  /** Runs this once nothing more comes unless the client says something. */
  readonly whenStill: (run: () => void) => void;
  /** A request of the client has no answer yet. */
  readonly isAsked: () => boolean;
  /** What the recorded client said next; undefined when it said no more. */
  readonly remaining: () => string | undefined;
  /** What the recorded agent ended with. */
  readonly exitCode: () => number | undefined;
}

/** A tape in the place of an agent: what is waited for is told in words. */
export function agentTapeLink(tape: AcpTape, options: AgentTapeOptions = {}): AgentTapeLink {
  const cursor = new AcpPlayback(tape, options.isStrict === true);
  const { open, send, pause, resume, close, skip, whenStill } = new Player(cursor, options, true);
  return {
    open,
    send,
    pause,
    resume,
    close,
    skip,
    whenStill,
    isAsked: () => cursor.isAsked,
    remaining: () => cursor.remaining,
    exitCode: () => cursor.exitCode,
  };
}

class Player<Awaited> implements TapeLink {
  readonly #playback: Playback<Awaited>;
  readonly #options: TapeOptions<Awaited>;
  /** Also when the host departs. */
  readonly #goesOn: boolean;
  #callbacks: LinkCallbacks | undefined;
  #isPaused = false;
  #isClosed = false;
  #isScheduled = false;
  /** What was told to `onWait` last; `null` while the tape plays. */
  #waitsFor: Awaited | undefined | null = null;
  #atMs = 0;
  /** What is said when its time has come. */
  #due: PlaybackStep<Awaited> | undefined;
  #cancelTimer = (): void => {};
  #stills: (() => void)[] = [];

  constructor(part: Playback<Awaited>, options: TapeOptions<Awaited>, goesOn: boolean) {
    this.#playback = part;
    this.#options = options;
    this.#goesOn = goesOn;
  }

  readonly open = (callbacks: LinkCallbacks): void => {
    this.#callbacks = callbacks;
    this.#schedule();
  };

  readonly send = (line: string): boolean => {
    if (!this.#isClosed) this.#onReply(this.#playback.hear(line));
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
    this.#playback.skip();
    this.#schedule();
  };

  readonly whenStill = (run: () => void): void => {
    if (this.#isScheduled) this.#stills.push(run);
    else run();
  };

  readonly close = (reason: string): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelTimer();
    queueMicrotask(() => this.#callbacks?.onClose(reason));
  };

  #onReply({ mismatch, replies = [] }: PlaybackReply): void {
    for (const reply of replies) setImmediate(() => this.#isClosed || this.#callbacks?.onLine(reply));
    if (mismatch === undefined) return;
    queueMicrotask(() => {
      // A host that says its last words and hangs up does not depart; it goes.
      if (this.#isClosed) return;
      this.#options.onMismatch?.(mismatch);
      if (!this.#goesOn) this.close(mismatch);
    });
  }

  #schedule(delayMs = 0): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    const { after } = this.#options;
    if (after === undefined || delayMs === 0) setImmediate(this.#play);
    else this.#cancelTimer = after(delayMs, this.#play);
  }

  readonly #play = (): void => {
    this.#isScheduled = false;
    this.#playOne();
    if (!this.#isScheduled) for (const run of this.#stills.splice(0)) run();
  };

  /** One line at a time, so that the host can act on each as it could on a real one. */
  #playOne(): void {
    if (this.#callbacks === undefined || this.#isPaused || this.#isClosed) return;
    const step = this.#due ?? this.#playback.next();
    const isGivenUp = this.#due !== undefined && this.#playback.isGivenUp?.(step) === true;
    this.#due = undefined;
    if (isGivenUp) return this.#schedule();
    if (step.kind === "rest") return this.#wait(undefined);
    const delayMs = Math.max(0, step.atMs - this.#atMs);
    this.#atMs = step.atMs;
    if (step.kind === "wait") return this.#wait(step.frame);
    this.#waitsFor = null;
    if (this.#options.after !== undefined && delayMs > 0) {
      this.#due = step;
    } else if (step.kind === "say") {
      this.#callbacks.onLine(step.line);
    } else {
      this.close(step.why);
    }
    this.#schedule(this.#due === undefined ? 0 : delayMs);
  }

  /** Told once for each thing waited for. */
  #wait(frame: Awaited | undefined): void {
    if (this.#waitsFor === frame) return;
    this.#waitsFor = frame;
    this.#options.onWait?.(frame);
  }
}
