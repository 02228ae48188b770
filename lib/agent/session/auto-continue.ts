/**
 * Auto-continue: goes on with the plan by itself when a turn ends with work left on it.
 *
 * Off unless the user turns it on. Never continues after a cancel, a failure, a limit or a
 * question, nor when another prompt waits, and at most `maxContinuations` times for one
 * prompt. The work stays inside that prompt, because editors show work and offer to stop it
 * only while a prompt runs.
 */
import type { ContentBlock, PlanEntry, SessionUpdate, StopReason } from "../../acp/index.ts";

export const maxContinuations = 10;

export class AutoContinue {
  isOn: boolean;
  #plan: readonly PlanEntry[] = [];
  /** The end of the last message of the agent. */
  #lastText = "";
  /** Whether the running turn did any work: without it, going on would repeat itself. */
  #hasWorked = false;
  #count = 0;

  constructor(isOn: boolean) {
    this.isOn = isOn;
  }

  /** A prompt of the user begins. */
  begin(): void {
    this.#count = 0;
    this.#startTurn();
  }

  note(update: SessionUpdate): void {
    if (update.sessionUpdate === "plan") this.#plan = update.entries;
    else if (update.sessionUpdate === "tool_call") {
      this.#hasWorked = true;
      this.#lastText = "";
    } else if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
      this.#lastText = (this.#lastText + update.content.text).slice(-maxTextChars);
    }
  }

  /** The next prompt after a turn; undefined when the work ends here. */
  next(stopReason: StopReason, isPromptWaiting: boolean): string | undefined {
    if (!this.isOn || isPromptWaiting || stopReason !== "end_turn" || this.#count >= maxContinuations) return undefined;
    const isQuestion = /\?["')*_\s]*$/.test(this.#lastText);
    const entry =
      this.#plan.find(({ status }) => status === "in_progress") ??
      this.#plan.find(({ status }) => status === "pending");
    if (entry === undefined || isQuestion || !this.#hasWorked) return undefined;
    this.#count++;
    this.#startTurn();
    return `Continue with the plan: ${entry.content} (auto-continue ${this.#count} of ${maxContinuations}; /nudge off stops it)`;
  }

  #startTurn(): void {
    this.#lastText = "";
    this.#hasWorked = false;
  }
}

const maxTextChars = 200;

/** Reads `/nudge`, `/nudge on` and `/nudge off`; undefined for any other prompt. */
export function readNudge(content: readonly ContentBlock[]): "on" | "off" | "state" | undefined {
  const [only, ...more] = content;
  const match = only?.type === "text" && more.length === 0 ? /^\s*\/nudge(?:\s+(on|off))?\s*$/.exec(only.text) : null;
  if (match === null) return undefined;
  return match[1] === "on" || match[1] === "off" ? match[1] : "state";
}
