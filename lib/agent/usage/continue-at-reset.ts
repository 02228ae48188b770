/**
 * Continues a prompt that a usage limit has interrupted, when the limit resets.
 *
 * Off unless the user turns it on. The prompt stays unanswered while it waits, because
 * clients show work and offer to stop it only while a prompt runs, and a message says when
 * it goes on. A cancel, another prompt, turning it off and the end of the session stop the
 * waiting; nothing of it survives a restart.
 */
import { type SessionUpdate, update } from "../../acp/index.ts";
import { durationWords, timeWords } from "../../display/index.ts";
import { EngineFailure } from "../../engine/index.ts";
import { RpcError } from "../../rpc/index.ts";
import type { Schedule } from "../../wire/index.ts";
import type { StoppedTurn } from "../turn/prompt-response.ts";

/** How often one prompt is continued. */
export const maxResets = 5;
/** The API may count a little longer than it says. */
export const resetMarginMs = 30_000;
/** A reset that is further away is not waited for. */
export const maxWaitMs = 8 * 24 * 60 * 60_000;
/** A timer does not count the time that the machine sleeps, so the clock is looked at in between. */
const maxStepMs = 60_000;

/** The prompt that goes on with the work. */
export const continuation = "The usage limit has been reset. Continue where you stopped.";

export interface ContinueAtResetOptions {
  readonly isOn: boolean;
  readonly after: Schedule;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly push: (update: SessionUpdate) => void;
}

type WaitEnd = "reset" | "cancelled" | "replaced";

export class ContinueAtReset {
  #isOn: boolean;
  /**
   * Ends the waiting; undefined while no prompt waits. A cancel ends the waiting prompt as cancelled; another
   * prompt lets it fail with the limit.
   */
  endWait: ((how: WaitEnd) => void) | undefined;
  readonly #options: ContinueAtResetOptions;

  constructor(options: ContinueAtResetOptions) {
    this.#options = options;
    this.#isOn = options.isOn;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** A prompt that waits when this is turned off fails with the limit. */
  set isOn(isOn: boolean) {
    this.#isOn = isOn;
    if (!isOn) this.endWait?.("replaced");
  }

  /**
   * A turn has failed. Where a limit was the cause, waits for its reset and runs `goOn`, as often as it takes;
   * otherwise rejects with the failure.
   */
  async continueAfter(failure: unknown, goOn: (text: string) => Promise<StoppedTurn>): Promise<StoppedTurn> {
    let cause = failure;
    for (let resets = 0; ; resets++) {
      const atMs = this.#resetOf(cause);
      if (atMs === undefined || resets >= maxResets) throw cause;
      const how = await this.#wait(atMs);
      if (how === "cancelled") return { kind: "stopped", stopReason: "cancelled" };
      if (how === "replaced") throw cause;
      this.#options.push(update.userMessage(continuation));
      try {
        return await goOn(continuation);
      } catch (again) {
        cause = again;
      }
    }
  }

  /** When the turn can go on; undefined when it failed for another reason or the user has not turned this on. */
  #resetOf(cause: unknown): number | undefined {
    const failure = cause instanceof RpcError ? cause.cause : cause;
    if (!this.isOn || !(failure instanceof EngineFailure) || failure.kind !== "limit") return undefined;
    if (failure.resetsAt === undefined) return undefined;
    const atMs = failure.resetsAt * 1000 + resetMarginMs;
    const waitMs = atMs - this.#options.now();
    return waitMs > resetMarginMs && waitMs <= maxWaitMs ? atMs : undefined;
  }

  #wait(atMs: number): Promise<WaitEnd> {
    const { now, push } = this.#options;
    const left = durationWords(atMs - now());
    push(
      update.agentMessage(
        `\nThe usage limit is reached. This prompt goes on at ${timeWords(atMs, now())}, in ${left}. Cancel it, or send another prompt, and it does not.\n\n`,
      ),
    );
    return new Promise((resolve) => {
      let cancelTimer: () => void = () => {};
      this.endWait = (how) => {
        this.endWait = undefined;
        cancelTimer();
        resolve(how);
      };
      const step = (): void => {
        const leftMs = atMs - this.#options.now();
        if (leftMs <= 0) return this.endWait?.("reset");
        cancelTimer = this.#options.after(Math.min(leftMs, maxStepMs), step);
      };
      step();
    });
  }
}
