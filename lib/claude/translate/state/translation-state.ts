/**
 * Thread: what the translator remembers of a conversation as it was shown.
 */
import type { AssistantError } from "../../index.ts";
import { MessageStream } from "./message-stream.ts";
import { PlanTracker } from "./plan.ts";
import { ToolCalls } from "./tool-calls.ts";
import { UsageTracker } from "./usage.ts";
import type { ClientView } from "../client-view.ts";

export class TranslationState {
  readonly view: ClientView;
  readonly messages = new MessageStream();
  readonly calls: ToolCalls;
  readonly plan = new PlanTracker();
  readonly usage = new UsageTracker();
  /** The tool call a stream's block belongs to, by the block's index. */
  readonly toolCallOfBlock = new Map<number, string>();
  /** The tool call that began a task, by the task's id. */
  readonly tasks = new Map<string, string>();
  /** The error of the turn's last message, and its text, until the result says what it means. */
  error: { readonly kind: AssistantError; readonly text: string } | undefined;
  compactionId: string | undefined;

  constructor(view: ClientView) {
    this.view = view;
    this.calls = new ToolCalls(view);
  }
}
