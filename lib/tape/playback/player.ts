/**
 * Links that play a tape in place of the Claude CLI, of Codex or of an agent.
 *
 * Recorded lines are sent immediately, or at the recorded speed if a clock is given. Playback
 * waits where the recording waited for the other side. Lines are never delivered inside the
 * `send` that caused them. When the host departs from the tape of a CLI, the link closes with
 * the reason. When the client departs from the tape of an agent, the client gets an error and
 * may continue.
 */
import type { Schedule, Link, LinkCallbacks } from "../../wire/index.ts";
import { AcpPlayback } from "./acp-playback.ts";
import type { AcpTape } from "../acp-tape.ts";
import { ClaudePlayback } from "./claude-playback.ts";
import { CodexPlayback } from "./codex-playback.ts";
import type { CodexTape, HostMessage } from "../codex-tape.ts";
import type { PlaybackReply, Playback, PlaybackStep } from "./playback.ts";
import type { AwaitedFrame, Tape } from "../claude-tape.ts";

export interface TapeOptions<Awaited = AwaitedFrame> {
  /** A clock to play at the recorded speed; without one there are no delays. */
  readonly after?: Schedule | undefined;
  /** Playback waits for this line of the host; undefined when the tape has ended. */
  readonly onWait?: ((awaited: Awaited | undefined) => void) | undefined;
  /** The host departed from the tape; the sentence says how. */
  readonly onMismatch?: ((sentence: string) => void) | undefined;
}

export interface TapeLink extends Link {
  /** Continues without the awaited line. */
  readonly skip: () => void;
}

/** A link that plays the CLI's side of a tape. */
export function tapeLink(tape: Tape, options: TapeOptions = {}): TapeLink {
  return new Player(new ClaudePlayback(tape), options, false);
}

/** A tape in place of `codex app-server`. */
export function codexTapeLink(tape: CodexTape, options: TapeOptions<HostMessage> = {}): TapeLink {
  return new Player(new CodexPlayback(tape), options, false);
}

export interface AgentTapeOptions extends TapeOptions<string> {
  /** Prompts must equal the recorded ones too. */
  readonly isStrict?: boolean | undefined;
}

export interface AgentTapeLink extends TapeLink {
  /** Calls `run` once nothing more is sent unless the client sends something. */
  readonly whenStill: (run: () => void) => void;
  /** True while a request of the client has no response yet. */
  readonly isAsked: () => boolean;
  /** The next message of the recorded client, as text; undefined when there is none. */
  readonly remaining: () => string | undefined;
  /** The exit code of the recorded agent. */
  readonly exitCode: () => number | undefined;
}

/** A tape in place of an agent; `onWait` gets the awaited message as text. */
export function agentTapeLink(tape: AcpTape, options: AgentTapeOptions = {}): AgentTapeLink {
  const playback = new AcpPlayback(tape, options.isStrict === true);
  const { open, send, pause, resume, close, skip, whenStill } = new Player(playback, options, true);
  return {
    open,
    send,
    pause,
    resume,
    close,
    skip,
    whenStill,
    isAsked: () => playback.isAsked,
    remaining: () => playback.remaining,
    exitCode: () => playback.exitCode,
  };
}

class Player<Awaited> implements TapeLink {
  readonly #playback: Playback<Awaited>;
  readonly #options: TapeOptions<Awaited>;
  /** Whether playback continues after a mismatch. */
  readonly #continuesOnMismatch: boolean;
  #callbacks: LinkCallbacks | undefined;
  #isPaused = false;
  #isClosed = false;
  #isScheduled = false;
  /** The last value passed to `onWait`; `null` while the tape plays. */
  #waitsFor: Awaited | undefined | null = null;
  #atMs = 0;
  /** The step to play when the timer fires. */
  #due: PlaybackStep<Awaited> | undefined;
  #cancelTimer = (): void => {};
  #whenStill: (() => void)[] = [];

  constructor(playback: Playback<Awaited>, options: TapeOptions<Awaited>, continuesOnMismatch: boolean) {
    this.#playback = playback;
    this.#options = options;
    this.#continuesOnMismatch = continuesOnMismatch;
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
    if (this.#isScheduled) this.#whenStill.push(run);
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
      // A host that sends a line and closes the link at once is not reported.
      if (this.#isClosed) return;
      this.#options.onMismatch?.(mismatch);
      if (!this.#continuesOnMismatch) this.close(mismatch);
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
    if (!this.#isScheduled) for (const run of this.#whenStill.splice(0)) run();
  };

  /** Plays one step per turn of the event loop, so that the host can react to each line. */
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

  /** Calls `onWait` once per awaited line. */
  #wait(frame: Awaited | undefined): void {
    if (this.#waitsFor === frame) return;
    this.#waitsFor = frame;
    this.#options.onWait?.(frame);
  }
}
