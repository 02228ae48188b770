/**
 * `TranslationState`: what the translator remembers of one conversation between events.
 */
import type { AssistantError } from "../../index.ts";
import { MessageStream } from "./message-stream.ts";
import { PlanTracker } from "./plan.ts";
import { ToolCalls } from "./tool-calls.ts";
import { LimitTracker } from "./limits.ts";
import { UsageTracker } from "./usage.ts";
import type { ClientView } from "../../../display/index.ts";

/** What the translation of one session remembers between two events. */
export class TranslationState {
  readonly view: ClientView;
  readonly messages = new MessageStream();
  readonly calls: ToolCalls;
  readonly plan = new PlanTracker();
  readonly usage = new UsageTracker();
  readonly limits = new LimitTracker();
  /** The tool call of each block of the current stream, by the index of the block. */
  readonly toolCallOfBlock = new Map<number, string>();
  /** The tool call that started a task, by the id of the task. */
  readonly tasks = new Map<string, string>();
  /** The error of the turn's last message and its text. The result decides whether it is shown. */
  error: { readonly kind: AssistantError; readonly text: string } | undefined;
  compactionId: string | undefined;

  constructor(view: ClientView) {
    this.view = view;
    this.calls = new ToolCalls(view);
  }
}
