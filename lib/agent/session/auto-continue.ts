/**
 * Auto-continue: goes on with the plan by itself when a turn ends with work left on it.
 *
 * Off unless the user turns it on. Never continues after a cancel, a failure, a limit or a
 * question, nor when another prompt waits, and at most `maxContinuations` times for one
 * prompt. The work stays inside that prompt, because editors show work and offer to stop it
 * only while a prompt runs.
 */
import type { PlanEntry, SessionUpdate, StopReason } from "../../acp/index.ts";
import type { LocalCommand } from "./local-commands.ts";

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

  /** `/nudge on` and `/nudge off`. */
  command(onChanged: () => void): LocalCommand {
    const run = (argument: string): string => {
      if (argument !== "" && argument !== "on" && argument !== "off") return "Use `/nudge on` or `/nudge off`.";
      if (argument !== "") {
        this.isOn = argument === "on";
        onChanged();
      }
      return this.isOn
        ? `Auto-continue is on: work that is left on the plan is continued, at most ${maxContinuations} times for a prompt.`
        : "Auto-continue is off. `/nudge on` turns it on.";
    };
    return { name: "nudge", description: "Turn auto-continue on or off", hint: "on or off", run };
  }

  #startTurn(): void {
    this.#lastText = "";
    this.#hasWorked = false;
  }
}

const maxTextChars = 200;
