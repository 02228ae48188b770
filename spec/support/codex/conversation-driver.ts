/**
 * Drives one conversation of the Codex engine as the agent does, and keeps what it reports.
 *
 * The user is played by `answer`, which picks the option of a permission question.
 */
import type { AgentConnection, SessionUpdate } from "../../../lib/acp/index.ts";
import type {
  Conversation,
  ConversationHost,
  ConversationRequest,
  ElicitationQuestion,
  Engine,
  EngineEvent,
  PermissionQuestion,
  TurnEnd,
  UserQuestions,
} from "../../../lib/engine/index.ts";
import { type Schedule, realTimer } from "../../../lib/wire/index.ts";

/** The id of an option, "unanswered", or a promise that the test settles. */
export type Answer = (question: PermissionQuestion<unknown>, signal: AbortSignal) => string | Promise<string>;

export interface DriverOptions {
  readonly cwd: string;
  readonly request?: Partial<ConversationRequest>;
  readonly answer?: Answer;
  readonly after?: Schedule;
  readonly showsTerminals?: boolean;
}

export class ConversationDriver {
  readonly events: EngineEvent[] = [];
  readonly updates: SessionUpdate[] = [];
  readonly ends: TurnEnd[] = [];
  readonly asked: PermissionQuestion<unknown>[] = [];
  readonly elicited: ElicitationQuestion[] = [];
  readonly bugs: string[] = [];
  readonly conversation: Conversation;
  answer: Answer;
  readonly #waiting = new Set<() => void>();
  #lastPrompt = 0;

  constructor(engine: Engine, options: DriverOptions) {
    this.answer = options.answer ?? (() => "unanswered");
    const host: ConversationHost = {
      onEvent: (event) => this.#onEvent(event),
      ask: async <Decision>(question: PermissionQuestion<Decision>, signal: AbortSignal): Promise<Decision> => {
        this.asked.push(question);
        this.#changed();
        const picked = await this.answer(question, signal);
        const choice = question.choices.find(({ option }) => option.optionId === picked);
        return choice?.decision ?? question.unanswered;
      },
      askUser: async ({ questions }: UserQuestions) => {
        const answers = questions.map(({ question, options: [first] }) => [question, first?.label ?? "text"] as const);
        return { kind: "answered", answers: Object.fromEntries(answers) };
      },
      elicit: async (question) => {
        this.elicited.push(question);
        return { action: "decline" };
      },
      // The engine asks the client for nothing.
      client: {} as AgentConnection,
      view: {
        cwd: options.cwd,
        showsTerminals: options.showsTerminals ?? false,
        showsNotices: true,
        showsCompaction: true,
        textOf: () => undefined,
      },
      after: options.after ?? realTimer,
      onBug: (doing, cause) => this.bugs.push(`${doing}: ${String(cause)}`),
    };
    this.conversation = engine.open(
      {
        start: { kind: "new" },
        proposedId: crypto.randomUUID(),
        cwd: options.cwd,
        additionalDirectories: [],
        mcpServers: [],
        settings: {},
        ...options.request,
      },
      host,
    );
  }

  /** Submits a prompt and returns at once. */
  async submit(text: string): Promise<void> {
    await this.conversation.ready(() => true);
    this.conversation.submit({ id: `prompt-${++this.#lastPrompt}`, content: [{ type: "text", text }] });
  }

  /** Submits a prompt and waits for its end. */
  async tell(text: string): Promise<TurnEnd> {
    const before = this.ends.length;
    await this.submit(text);
    return this.end(before);
  }

  /** Waits for the end of a turn, by default the next. */
  async end(index = this.ends.length): Promise<TurnEnd> {
    await this.until(() => this.ends.length > index);
    return this.ends[index]!;
  }

  /** Resolves when the condition holds. It is checked after each event. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
    });
  }

  /** The text of the agent's messages. */
  get text(): string {
    return this.updates
      .map((one) =>
        one.sessionUpdate === "agent_message_chunk" && one.content.type === "text" ? one.content.text : "",
      )
      .join("");
  }

  /** Each tool call as its latest title and status. */
  get calls(): readonly string[] {
    const calls = new Map<string, { title: string; status: string }>();
    for (const one of this.updates) {
      if (one.sessionUpdate !== "tool_call" && one.sessionUpdate !== "tool_call_update") continue;
      const call = calls.get(one.toolCallId) ?? { title: "", status: "pending" };
      calls.set(one.toolCallId, { title: one.title ?? call.title, status: one.status ?? call.status });
    }
    return [...calls.values()].map(({ title, status }) => `${title}: ${status}`);
  }

  #onEvent(event: EngineEvent): void {
    this.events.push(event);
    if (event.type === "updates") this.updates.push(...event.updates);
    if (event.type === "turn_ended") this.ends.push(withoutUsage(event.end));
    this.#changed();
  }

  #changed(): void {
    for (const check of this.#waiting) check();
  }
}

/** The tokens of a turn are another spec's matter. */
function withoutUsage(end: TurnEnd): TurnEnd {
  return end.kind === "stopped" ? { kind: end.kind, stopReason: end.stopReason } : end;
}
