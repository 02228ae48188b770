/**
 * An engine that does what a spec says, without a process. `onCall` may throw, or return a promise to wait for.
 */
import { update, type SessionUpdate } from "../../../lib/acp/index.ts";
import { EngineFailure } from "../../../lib/engine/index.ts";
import type { Conversation, ConversationHost, ConversationRequest, Engine } from "../../../lib/engine/index.ts";
import type { EngineEvent, SettingsState, Prompt, TurnEnd } from "../../../lib/engine/index.ts";

/** A conversation that the spec drives. A spec may replace its methods. */
export class ScriptedConversation implements Conversation {
  readonly id: string;
  readonly request: ConversationRequest;
  readonly host: ConversationHost;
  /** What the agent called, for example `submit` and `interrupt`, in order. */
  readonly calls: string[] = [];
  /** The submitted and steered prompts, in order. */
  readonly prompts: Prompt[] = [];
  prefersEditorText = false;
  savedId: string;
  isRunning = true;
  isBusy = false;
  isPaused = false;
  settingsState: SettingsState;
  rewinder: Conversation["rewinder"];
  controls: Conversation["controls"];
  readonly #engine: ScriptedEngine;
  readonly #waiting: { readonly call: string; readonly resolve: () => void }[] = [];
  #heardCount = 0;

  constructor(engine: ScriptedEngine, request: ConversationRequest, host: ConversationHost) {
    this.#engine = engine;
    this.request = request;
    this.host = host;
    this.id = request.start.kind === "resume" ? request.start.id : request.proposedId;
    this.savedId = this.id;
    this.settingsState = { ...engine.settingsState, ...request.settings };
  }

  emit(event: EngineEvent): void {
    this.host.onEvent(event);
  }

  update(...updates: readonly SessionUpdate[]): void {
    this.emit({ type: "updates", updates });
  }

  say(...texts: readonly string[]): void {
    this.update(...texts.map((text) => update.agentMessage(text, "message-1")));
  }

  /** Takes the prompt, and ends the turn. */
  end(end: TurnEnd = { kind: "stopped", stopReason: "end_turn" }): void {
    this.take();
    this.emit({ type: "turn_ended", end });
  }

  /** Ends the turn as an engine does whose process has exited. */
  lose(failure: unknown = new EngineFailure("exited", "the engine exited")): void {
    this.isRunning = false;
    this.emit({ type: "turn_ended", end: { kind: "lost", failure } });
  }

  /** Resolves when the agent has made this call. Earlier calls count as heard. */
  hear(call: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ call, resolve });
      this.#look();
    });
  }

  take = (): void => this.emit({ type: "acknowledged" });
  mayInlineFile = async (): Promise<boolean> => true;
  start = async (): Promise<void> => this.#call("start");
  ready = async (): Promise<void> => (await this.#call("ready"), void (this.isRunning = true));
  rename = async (title: string): Promise<boolean> => (await this.#call(`rename ${title}`), this.isRunning);
  pause = (): void => void (this.isPaused = true);
  resume = (): void => void (this.isPaused = false);
  interrupt = (): void => void this.#call("interrupt");
  abandon = (): void => void ((this.isRunning = false), this.#call("abandon"));
  close = async (): Promise<void> => ((this.isRunning = false), this.#call("close"));
  submit = (prompt: Prompt, added: readonly Prompt[] = []): void =>
    void (this.prompts.push(prompt, ...added), this.#call("submit"));
  steer = (prompt: Prompt): boolean => (this.prompts.push(prompt), this.#call("steer"), true);
  release = (): boolean => (this.#call("release"), !(this.isRunning = this.isBusy));
  change = async (optionId: string, value: string): Promise<void> => {
    await this.#call(`change ${optionId}`);
    this.settingsState = { ...this.settingsState, [optionId]: value };
  };
  replay = async (): Promise<void> => {
    await this.#call("replay");
    this.update(...(this.#engine.saved.get(this.savedId) ?? []));
  };

  #call(call: string): void | Promise<void> {
    this.calls.push(call);
    this.#look();
    return this.#engine.onCall(this, call);
  }

  #look(): void {
    for (let first; (first = this.#waiting[0]) !== undefined && this.#heardCount < this.calls.length;) {
      if (this.calls[this.#heardCount++] === first.call) this.#waiting.shift()?.resolve();
    }
  }
}

export class ScriptedEngine implements Engine {
  readonly id = "scripted";
  readonly name = "Scripted";
  capabilities = { fork: true, steer: true, reloadsConfiguration: false, replaysFromDisk: false };
  /** The conversations that the agent opened, in order. */
  readonly opened: ScriptedConversation[] = [];
  /** The saved conversations as the updates that show them, the newest last. */
  readonly saved = new Map<string, readonly SessionUpdate[]>();
  readonly renamed: (readonly [id: string, title: string])[] = [];
  settingsState: SettingsState = {
    modes: ["default", "plan"].map((id) => ({ id, name: id })),
    mode: "default",
    models: ["small", "large"].map((value) => ({ value, name: value })),
    model: "small",
    efforts: [],
    effort: "default",
    options: [],
  };
  onCall: (conversation: ScriptedConversation, call: string) => void | Promise<void> = () => {};
  readonly conversations = {
    list: async (cwd = "/", cursor?: string) => {
      if (cursor !== undefined) return { kind: "bad-cursor" } as const;
      const row = { cwd, title: undefined, updatedAt: "2026-01-01T00:00:00.000Z" };
      const sessions = [...this.saved.keys()].toReversed().map((sessionId) => ({ sessionId, ...row }));
      return { kind: "page", sessions, nextCursor: undefined, unreadableCount: 0 } as const;
    },
    has: async (id: string) => this.saved.has(id),
    directoryOf: async () => undefined,
    latest: async () => [...this.saved.keys()].at(-1),
    rename: async (id: string, title: string) => void this.renamed.push([id, title]),
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
