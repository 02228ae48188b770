/**
 * `CodexState`: what the translator remembers of one conversation between notifications.
 */
import type { ModelUsage, TurnUsage } from "../../../engine/index.ts";
import type { ClientView } from "../../../display/index.ts";
import { CodexLimits } from "./limits.ts";
import { CodexMessages } from "./message-stream.ts";
import { CodexToolCalls } from "./tool-calls.ts";

/** How many warnings are remembered, so that each is shown once. */
const maxWarnings = 256;

export class CodexState {
  readonly view: ClientView;
  readonly messages = new CodexMessages();
  readonly calls: CodexToolCalls;
  /** The thread of the conversation. While it is undefined, every thread but a subagent's counts as its own. */
  threadId: string | undefined;
  /** The turn of the conversation that runs now. */
  turnId: string | undefined;
  /** The plan that the model proposed in this turn, in plan mode. */
  proposedPlan: string | undefined;
  /** Something was shown since the turn started. */
  hasShown = false;
  compactionId: string | undefined;
  /** The tool call of each subagent, by its thread. Undefined while the call is not known. */
  readonly agents = new Map<string, string | undefined>();
  /** The last message of each subagent, by its thread. */
  readonly reports = new Map<string, string>();
  readonly limits = new CodexLimits();
  /** How much of the context window is used, once Codex has reported it. */
  context: { readonly used: number; readonly size: number } | undefined;
  /** The values of the last usage update, so that no update is repeated. */
  lastUsage = "";
  /** All tokens of the conversation. */
  total: Omit<ModelUsage, "model" | "cost"> | undefined;
  /** All tokens of the conversation, as Codex counted them last. */
  lastTotal: number | undefined;
  /** What the running turn has used so far. */
  turnUsage: TurnUsage | undefined;
  /** The last notice about a retry in this turn. */
  lastRetry = "";
  readonly #warned = new Set<string>();
  #questions = 0;

  constructor(view: ClientView, threadId?: string) {
    this.view = view;
    this.threadId = threadId;
    this.calls = new CodexToolCalls(view);
  }

  /** Commands or agents run, perhaps after their turn. */
  get isRunning(): boolean {
    return this.calls.isRunning;
  }

  /** Whether notifications of this thread belong to this conversation. */
  ownsThread(threadId: string): boolean {
    return this.threadId === threadId || this.agents.has(threadId);
  }

  isAgent(threadId: string | undefined): threadId is string {
    return threadId !== undefined && threadId !== this.threadId && this.agents.has(threadId);
  }

  /** Whether this text is shown for the first time. */
  isNews(text: string): boolean {
    if (this.#warned.has(text)) return false;
    const [oldest] = this.#warned;
    if (this.#warned.size >= maxWarnings && oldest !== undefined) this.#warned.delete(oldest);
    this.#warned.add(text);
    return true;
  }

  /** A number for the id of a question that no item belongs to. */
  nextQuestion(): number {
    return ++this.#questions;
  }
}
