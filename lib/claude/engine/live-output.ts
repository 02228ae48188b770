/**
 * Shows the output of commands while they run in the foreground.
 *
 * The CLI announces a command as a task about three seconds after the command's start. From then
 * on the CLI answers the request `get_task_output` with what the command has printed. We send
 * such a request at most four times a second, and less often the longer the command runs, so
 * the bytes sent for one command stay bounded.
 */
import type { Schedule } from "../../wire/index.ts";
import type { OutgoingControlRequests, SystemEvent, TaskOutput } from "../index.ts";

const firstIntervalMs = 250;
const maxIntervalMs = 8000;
/** After so many questions the interval is doubled. */
const questionsPerInterval = 40;

export interface LiveOutputOptions {
  readonly after: Schedule;
  /** Requests to the running CLI; undefined when none runs. */
  readonly control: () => OutgoingControlRequests | undefined;
  /** The command of this tool call still runs in the foreground. */
  readonly isRunning: (toolCallId: string) => boolean;
  readonly onOutput: (toolCallId: string, output: TaskOutput) => void;
}

export class LiveOutput {
  readonly #options: LiveOutputOptions;

  constructor(options: LiveOutputOptions) {
    this.#options = options;
  }

  onEvent(event: SystemEvent): void {
    if (event.subtype !== "task_started") return;
    const { task_id, tool_use_id, task_type, is_backgrounded } = event;
    if (tool_use_id === undefined || task_type !== "local_bash" || is_backgrounded === true) return;
    const control = this.#options.control();
    if (control !== undefined) void this.#ask(control, task_id, tool_use_id, 1);
  }

  /** Never rejects. */
  async #ask(control: OutgoingControlRequests, task_id: string, toolCallId: string, count: number): Promise<void> {
    const { after, isRunning, onOutput } = this.#options;
    if (control !== this.#options.control() || !isRunning(toolCallId)) return;
    try {
      const output = await control.request("get_task_output", { task_id });
      if (!isRunning(toolCallId)) return;
      onOutput(toolCallId, output);
    } catch {
      // The task has ended, or the CLI: its result has the output.
      return;
    }
    const interval = Math.min(maxIntervalMs, firstIntervalMs * 2 ** Math.floor(count / questionsPerInterval));
    after(interval, () => void this.#ask(control, task_id, toolCallId, count + 1));
  }
}
