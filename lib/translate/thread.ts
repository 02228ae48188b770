/**
 * Thread: what the translator remembers of a conversation as it was shown.
 */
import type { AssistantError } from "../claude/index.ts";
import { Messages } from "./messages.ts";
import { Plan } from "./plan.ts";
import { ToolCalls } from "./tool-calls.ts";
import { Usage } from "./usage.ts";
import type { View } from "./view.ts";

export class Thread {
  readonly view: View;
  readonly messages = new Messages();
  readonly calls: ToolCalls;
  readonly plan = new Plan();
  readonly usage = new Usage();
  /** The tool call a stream's block belongs to, by the block's index. */
  readonly writing = new Map<number, string>();
  /** The tool call that began a task, by the task's id. */
  readonly tasks = new Map<string, string>();
  /** The error of the turn's last message, and its text, until the result says what it means. */
  error: { readonly kind: AssistantError; readonly text: string } | undefined;
  compactionId: string | undefined;

  constructor(view: View) {
    this.view = view;
    this.calls = new ToolCalls(view);
  }
}
