/**
 * An engine that does what a spec says. It has no process: a turn ends when the spec ends it.
 */
import { update, type SessionUpdate } from "../../lib/acp/index.ts";
import { EngineFailure } from "../../lib/engine/index.ts";
import type { Conversation, ConversationHost, ConversationRequest, Engine } from "../../lib/engine/index.ts";
import type { EngineEvent, Offers, Prompt, TurnEnd } from "../../lib/engine/index.ts";

/** A conversation that the spec drives. */
export class ScriptedConversation implements Conversation {
  readonly id: string;
  readonly request: ConversationRequest;
  readonly host: ConversationHost;
  /** What the agent called, for example `submit` and `interrupt`, in order. */
  readonly calls: string[] = [];
  readonly prompts: Prompt[] = [];
  readonly prefersEditorText = false;
  savedId: string;
  isRunning = true;
  isBusy = false;
  isPaused = false;
  /** What `start`, `ready` or `change` rejects with. */
  failure: EngineFailure | undefined;
  offers: Offers;
  readonly #engine: ScriptedEngine;

  constructor(engine: ScriptedEngine, request: ConversationRequest, host: ConversationHost) {
    this.#engine = engine;
    this.request = request;
    this.host = host;
    this.id = request.start.kind === "resume" ? request.start.id : request.proposedId;
    this.savedId = this.id;
    this.offers = { ...engine.offers, mode: request.settings["mode"] ?? engine.offers.mode };
    this.failure = engine.failure;
  }

  emit(event: EngineEvent): void {
    this.host.onEvent(event);
  }

  /** Sends updates, as in the middle of a turn. */
  say(...texts: readonly string[]): void {
    this.update(...texts.map((text) => update.agentMessage(text, "message-1")));
  }

  update(...updates: readonly SessionUpdate[]): void {
    this.emit({ type: "updates", updates });
  }

  /** Takes the prompt, and ends the turn. */
  end(end: TurnEnd = { kind: "stopped", stopReason: "end_turn" }): void {
    this.emit({ type: "acknowledged" });
    this.emit({ type: "turn_ended", end });
  }

  lose(failure: unknown = new EngineFailure("exited", "the engine exited")): void {
    this.emit({ type: "turn_ended", end: { kind: "lost", failure } });
  }

  start = (): Promise<void> => this.#step("start");
  ready = (): Promise<void> => this.#step("ready");
  rename = async (title: string): Promise<boolean> => this.#note(`rename ${title}`);
  pause = (): void => void (this.isPaused = true);
  resume = (): void => void (this.isPaused = false);
  interrupt = (): void => void this.#note("interrupt");
  abandon = (): void => void this.#note("abandon");
  close = async (): Promise<void> => void (this.#note("close"), (this.isRunning = false));

  submit = (prompt: Prompt, added: readonly Prompt[] = []): void => {
    this.#note("submit");
    this.prompts.push(prompt, ...added);
    this.#engine.onPrompt(this, prompt);
  };

  steer = (prompt: Prompt): boolean => {
    this.prompts.push(prompt);
    return this.#note("steer");
  };

  change = async (optionId: string, value: string): Promise<void> => {
    await this.#step(`change ${optionId}`);
    this.offers = { ...this.offers, [optionId]: value };
  };

  release = (): boolean => {
    this.isRunning = false;
    return this.#note("release");
  };

  replay = async (): Promise<void> => this.update(...(this.#engine.saved.get(this.savedId) ?? []));

  #note(call: string): true {
    this.calls.push(call);
    return true;
  }

  async #step(call: string): Promise<void> {
    this.#note(call);
    if (this.failure !== undefined) throw this.failure;
  }
}

export class ScriptedEngine implements Engine {
  readonly id = "scripted";
  readonly name = "Scripted";
  readonly capabilities = { fork: true, steer: true };
  /** The conversations that the agent opened, in order. */
  readonly opened: ScriptedConversation[] = [];
  /** The saved conversations as the updates that show them. */
  readonly saved = new Map<string, readonly SessionUpdate[]>();
  failure: EngineFailure | undefined;
  offers: Offers = {
    modes: ["default", "plan"].map((id) => ({ id, name: id })),
    mode: "default",
    models: ["small", "large"].map((value) => ({ value, name: value })),
    model: "small",
    efforts: [],
    effort: "default",
    options: [],
  };
  /** What each prompt does. By default it waits for the spec. */
  onPrompt: (conversation: ScriptedConversation, prompt: Prompt) => void = () => {};
  readonly conversations = {
    list: async (cwd: string | undefined) => {
      const row = { cwd: cwd ?? "/", title: undefined, updatedAt: "2026-01-01T00:00:00.000Z" };
      const sessions = [...this.saved.keys()].map((sessionId) => ({ sessionId, ...row }));
      return { kind: "page", sessions, nextCursor: undefined, unreadableCount: 0 } as const;
    },
    has: async (id: string) => this.saved.has(id),
    directoryOf: async () => undefined,
    latest: async () => [...this.saved.keys()].at(-1),
    rename: async () => {},
    remove: async (id: string) => void this.saved.delete(id),
  };
  refusalOf = (prompt: readonly unknown[]): string | undefined => (prompt.length === 0 ? "it is empty" : undefined);
  open = (request: ConversationRequest, host: ConversationHost): Conversation => {
    const conversation = new ScriptedConversation(this, request, host);
    this.opened.push(conversation);
    return conversation;
  };
  configFingerprint = (): string => "";
  checkSignIn = async (): Promise<void> => {};
  signOut = async (): Promise<void> => {};
  close = async (): Promise<void> => {};
}
