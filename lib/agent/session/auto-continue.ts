/**
 * Auto-continue: continues the plan without a prompt of the user when a turn ends with work left on it.
 *
 * Off unless the user turns it on. Stops at a cancel, a failure, a limit, a question, a turn
 * without a tool call, a plan that the user rejected, a goal that the engine pursued without us,
 * another prompt of the user, and after `maxContinuations` turns. The prompt stays unanswered
 * meanwhile, because editors show work and offer to stop it only while a prompt runs.
 */
import type { PlanEntry, SessionUpdate, StopReason } from "../../acp/index.ts";
import type { LocalCommand } from "./local-commands.ts";

export const maxContinuations = 10;

/** The tasks that a task list of the user's own has open, such as `dot ls --json`. Never rejects. */
export type OpenTasks = () => Promise<readonly string[]>;

export interface AutoContinueOptions {
  readonly isOn: boolean;
  /** Each continued entry gets a conversation of its own. */
  readonly isFresh?: boolean | undefined;
  readonly openTasks?: OpenTasks | undefined;
}

/** A prompt that the user did not write. */
export interface Continuation {
  /** In the words of the model or of the task list. */
  readonly work: string;
  readonly note: string;
}

export class AutoContinue {
  isOn: boolean;
  /** The conversation is cleared before each entry. */
  isFresh: boolean;
  readonly #openTasks: OpenTasks;
  #plan: readonly PlanEntry[] = [];
  /** The end of the last message of the agent. */
  #lastText = "";
  /** Whether the running turn did any work: without it, going on would repeat itself. */
  #hasWorked = false;
  #count = 0;
  #isStopped = false;

  constructor({ isOn, isFresh = false, openTasks = noTasks }: AutoContinueOptions) {
    this.isOn = isOn;
    this.isFresh = isFresh;
    this.#openTasks = openTasks;
  }

  /** A prompt of the user begins. */
  begin(): void {
    this.#count = 0;
    this.#isStopped = false;
    this.#startTurn();
  }

  /** Nothing is continued until the next prompt of the user. */
  stop(): void {
    this.#isStopped = true;
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
  async next(stopReason: StopReason, isStopped: () => boolean): Promise<Continuation | undefined> {
    if (!this.isOn || isStopped() || stopReason !== "end_turn" || this.#count >= maxContinuations) return undefined;
    if (this.#isStopped) return undefined;
    const isQuestion = /\?["')*_\s]*$/.test(this.#lastText);
    if (isQuestion || !this.#hasWorked) return undefined;
    const work = this.#leftOnPlan() ?? (await this.#nextTask());
    // The user may have cancelled or sent a prompt while the task list was read.
    if (work === undefined || isStopped()) return undefined;
    this.#count++;
    this.#startTurn();
    return { work, note: `(auto-continue ${this.#count} of ${maxContinuations}; /nudge off stops it)` };
  }

  #leftOnPlan(): string | undefined {
    const entry =
      this.#plan.find(({ status }) => status === "in_progress") ??
      this.#plan.find(({ status }) => status === "pending");
    return entry && `Continue with the plan: ${entry.content}`;
  }

  async #nextTask(): Promise<string | undefined> {
    const [task] = await this.#openTasks();
    return task && `Continue with the next open task: ${task}`;
  }

  /** `/nudge on`, `/nudge fresh` and `/nudge off`. */
  command(onChanged: () => void): LocalCommand {
    const run = (argument: string): string => {
      if (!["", "on", "fresh", "off"].includes(argument)) return "Use `/nudge on`, `/nudge fresh` or `/nudge off`.";
      if (argument !== "") {
        this.isOn = argument !== "off";
        this.isFresh = argument === "fresh";
        onChanged();
      }
      const how = this.isFresh ? ", each entry in a fresh conversation" : "";
      return this.isOn
        ? `Auto-continue is on: work that is left on the plan is continued${how}, at most ${maxContinuations} times for a prompt.`
        : "Auto-continue is off. `/nudge on` turns it on.";
    };
    return { name: "nudge", description: "Turn auto-continue on or off", hint: "on, fresh or off", run };
  }

  #startTurn(): void {
    this.#lastText = "";
    this.#hasWorked = false;
  }
}

const maxTextChars = 200;

async function noTasks(): Promise<readonly string[]> {
  return [];
}
