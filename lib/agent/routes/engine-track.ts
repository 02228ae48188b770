/**
 * One engine's part of a session with several engines.
 *
 * Opens the engine's conversation and marks its updates with the engine's name. Keeps what the
 * session needs of the last turn: the text of the answer, the plan and the diffs. Gives the
 * engine the mode that the user chose, or the asking mode where the engine has no such mode.
 * `isConfined`: the engine can change no file without a question. Any call that the user
 * allows ends this.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type AvailableCommand,
  configOption,
  type Diff,
  type SessionConfigOption,
  type SessionMode,
  type SessionUpdate,
  type ToolCallUpdate,
} from "../../acp/index.ts";
import type {
  Conversation,
  ConversationHost,
  ConversationRequest,
  Engine,
  EngineEvent,
  PermissionQuestion,
  TurnEnd,
} from "../../engine/index.ts";
import { notice } from "../../display/index.ts";
import type { Environment } from "../../process/index.ts";
import { engineIds } from "../route.ts";
import { realPathOf, withParents, writableDirectories } from "./configuration-paths.ts";
import { withoutContext } from "./shared-context.ts";
import type { StartGate } from "./start-gate.ts";
import { UpdateTagger } from "./tagged-updates.ts";

/** The mode that every engine has. */
const askingMode = "default";
/** Modes in which one engine denies what is not allowed and another works without asking. */
const unlikeModes: ReadonlySet<string> = new Set(["dontAsk"]);
/** Modes in which every engine asks or changes nothing. */
const carefulModes: ReadonlySet<string> = new Set([askingMode, "plan"]);
/** The most changes that a review has, the last ones. */
const maxDiffs = 50;

export interface EngineTrackOptions {
  /** Names the user's own directories. */
  readonly env: Environment;
  readonly host: ConversationHost;
  /** What the user is asked before anything is started. */
  readonly gate: Pick<StartGate, "pass" | "passUnasked" | "confirm" | "isAccepted">;
  /** Whether the engine's updates are marked with its name, at this moment. */
  readonly isTagged: () => boolean;
  readonly onUpdates: (updates: readonly SessionUpdate[]) => void;
  readonly onEvent: (event: Exclude<EngineEvent, { readonly type: "updates" }>) => void;
  /** The user has allowed the engine something, which it does as soon as this resolves. A rejection denies it. */
  readonly onAllowed: (track: EngineTrack) => Promise<void> | undefined;
}

/** A conversation without what may start its engine. */
export type GatedConversation = Omit<Conversation, "start" | "ready" | "replay" | "controls" | "rewinder">;

export class EngineTrack {
  readonly engine: Engine;
  commands: readonly AvailableCommand[] = [];
  /** The entries of the engine's last plan, as they are shown. */
  plan: Extract<SessionUpdate, { readonly sessionUpdate: "plan" }>["entries"] = [];
  /** The mode that the user chose last, once the engine has it. The engine may have left it since, for example to plan. */
  chosenMode: string | undefined;
  /** The directories as they were given. */
  readonly named: readonly string[];
  readonly #opened: readonly string[];
  /** The session is closed. */
  isClosed = false;
  /** Another one for each turn. */
  turnId = crypto.randomUUID();
  /** A prompt is on its way to the engine, or the engine works on it. */
  isNeeded = (): boolean => false;
  /** The engine gets its prompt as soon as the engines beside it are stopped. */
  isAboutToWork = (): boolean => false;
  readonly #options: EngineTrackOptions;
  readonly #conversation: Conversation;
  readonly #tagger: UpdateTagger;
  #launched: Promise<void> | undefined;
  /** Set while the engine is being started, or started again. */
  starting: Promise<void> | undefined;
  /** Set while a saved conversation is read. */
  #reading: { readonly onUpdates: (updates: readonly SessionUpdate[]) => void; hasSharedContext: boolean } | undefined;
  /** The changes of files that each call of the running or last turn has shown. */
  readonly #diffs = new Map<string, readonly Diff[]>();
  #answer = "";
  #answerId: string | undefined;
  #onEnd: ((end: TurnEnd) => void) | undefined;
  /** The open calls that were announced with the engine's name. They keep it, also after their turn. */
  readonly #taggedCalls = new Set<string>();
  #hasStarted = false;
  /** It has been able to change files without a question. Commands of that time may still run. */
  #wasFree = false;
  #hasWorked = false;

  constructor(engine: Engine, request: ConversationRequest, options: EngineTrackOptions) {
    this.engine = engine;
    this.#options = options;
    this.named = [request.cwd, ...request.additionalDirectories];
    this.#opened = this.named.map(realPathOf);
    this.#tagger = new UpdateTagger(engine);
    const { host } = options;
    this.#conversation = engine.open(request, {
      ...host,
      view: { ...host.view, keepsSharedContext: true },
      ask: (question, signal) => this.#ask(question, signal),
      askUser: (asked, signal) => host.askUser(this.#taggedQuestion(asked), signal),
      onEvent: (event) => this.#onEvent(event),
    });
  }

  get conversation(): GatedConversation {
    return this.#conversation;
  }

  /** Undefined while asking the engine would start it with a configuration that the user has not seen. */
  get controls(): Conversation["controls"] {
    return this.#mayLoad ? this.#conversation.controls : undefined;
  }

  get rewinder(): Conversation["rewinder"] {
    return this.#mayLoad ? this.#conversation.rewinder : undefined;
  }

  /** Whether the saved conversation can be read. An engine that does not read it from disk has to be started first. */
  get isReadable(): boolean {
    return this.engine.capabilities.replaysFromDisk || this.#mayLoad;
  }

  get #mayLoad(): boolean {
    return this.#hasStarted && (this.#conversation.isRunning || this.#options.gate.isAccepted(this));
  }

  /** The text of the last message of the running or last turn. */
  get answer(): string {
    return this.#answer;
  }

  /** The changes of files that the engine has made in the running or last turn, in their order. */
  get diffs(): readonly Diff[] {
    return [...this.#diffs.values()].flat().slice(-maxDiffs);
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** The engine has had a prompt. */
  get hasWorked(): boolean {
    return this.#hasWorked;
  }

  /** The engine has a turn. */
  get isWorking(): boolean {
    return this.#onEnd !== undefined;
  }

  /** The engine asks before each change of a file, and always has. An allowed call or a turn in another mode ends this for good. */
  get isConfined(): boolean {
    return this.#isCareful && !this.#wasFree;
  }

  /**
   * The directories that the engine works in, and their repositories. A link on the way may be replaced: they count as
   * they are named, as they were when the conversation was opened, and as they are now.
   */
  get directories(): readonly string[] {
    const all = [...this.named.map((one) => resolve(one)), ...this.#opened, ...this.named.map(realPathOf)];
    return [...new Set(all)].flatMap(withRepository);
  }

  /** Where the engine may change files: its directories, and those that the user's settings let it write. */
  get reach(): readonly string[] {
    const id = engineIds.find((one) => one === this.engine.id);
    const more = id === undefined ? [] : writableDirectories(id, this.named, this.#options.env);
    return [...this.directories, ...more.map(realPathOf)];
  }

  get isBusy(): boolean {
    return this.#conversation.isBusy;
  }

  get #isCareful(): boolean {
    return carefulModes.has(this.#conversation.settingsState.mode);
  }

  /** Starts the engine, unless that was done before. Asks the user first; rejects with an `EngineFailure`. */
  start(): Promise<void> {
    const { gate } = this.#options;
    return this.#hasStarted ? gate.confirm(this) : gate.pass(this, () => this.#starts(this.#launch()));
  }

  /** Starts the engine if nothing is to be asked. Resolves with why it does not run. */
  startUnasked(): Promise<string | undefined> {
    return this.#options.gate.passUnasked(this, () => this.#starts(this.#launch()));
  }

  /** Makes the engine ready for a prompt; starts it, or starts it again. Asks the user first. */
  ready(isWanted: () => boolean): Promise<void> {
    this.isNeeded = isWanted;
    const launch = (): Promise<void> => this.#launch().then(() => this.#conversation.ready(isWanted));
    return this.#options.gate.pass(this, () => this.#starts(launch()), isWanted);
  }

  #starts(start: Promise<void>): Promise<void> {
    const starting = start.finally(() => {
      if (this.starting === starting) this.starting = undefined;
    });
    this.starting = starting;
    return starting;
  }

  /** A second call returns the first promise; a failed start can be tried again. */
  #launch(): Promise<void> {
    this.#launched ??= this.#conversation.start().then(
      () => void (this.#hasStarted = true),
      (cause: unknown) => {
        this.#launched = undefined;
        throw cause;
      },
    );
    return this.#launched;
  }

  modeWith(id: string): SessionMode | undefined {
    return this.conversation.settingsState.modes.find((mode) => mode.id === id);
  }

  /**
   * An engine that lacks the mode, or means something else by it, does not get one that may ask less: it asks.
   * `shown`: the mode as another engine describes it, from whose list the user chose it. The user is told what differs.
   */
  async changeMode(mode: string, shown?: SessionMode): Promise<void> {
    const { settingsState } = this.conversation;
    const own = this.modeWith(mode);
    const isUnlike = shown !== undefined && unlikeModes.has(mode) && own?.description !== shown.description;
    const used = own === undefined || isUnlike ? askingMode : mode;
    const mayChange = settingsState.mode !== used && settingsState.modes.some(({ id }) => id === used);
    if (mayChange) await this.conversation.change("mode", used);
    this.#wasFree ||= this.isWorking && !this.#isCareful;
    this.chosenMode = mode;
    const text = this.#modeNotice(mode, own, shown, used);
    if ((mayChange || isUnlike) && text !== undefined)
      this.#options.onUpdates([notice(this.#options.host.view, "warning", text)]);
  }

  #modeNotice(
    mode: string,
    own: SessionMode | undefined,
    shown: SessionMode | undefined,
    used: string,
  ): string | undefined {
    const { name } = this.engine;
    if (own === undefined) return `${name} does not have the mode ${mode}; it asks before it edits or runs something.`;
    if (used !== mode)
      return `${name} means something else by the mode ${mode}; it asks before it edits or runs something.`;
    if (shown === undefined || own.description === shown.description || carefulModes.has(mode)) return undefined;
    return `The mode of ${name}, ${own.name}: ${own.description ?? mode}.`;
  }

  /** The choice of the engine's model, as an option with the engine's name. */
  modelOption(): readonly SessionConfigOption[] {
    const { models, model } = this.conversation.settingsState;
    if (models.length === 0) return [];
    const details = { name: `Model of ${this.engine.name}`, category: "model", currentValue: model } as const;
    return [configOption.select(`${this.engine.id}_model`, models, details)];
  }

  /** The updates of the saved conversation, marked with the engine's name. */
  async history(signal: AbortSignal): Promise<readonly SessionUpdate[]> {
    const collected: SessionUpdate[] = [];
    await this.#read(signal, (updates) => updates.forEach((one) => collected.push(one)));
    return collected.map((one) => this.#tagger.tag(one));
  }

  /** Reports the saved conversation. Resolves with whether the engine was told what another engine had said. */
  replay(signal: AbortSignal): Promise<boolean> {
    return this.#read(signal, this.#options.onUpdates);
  }

  /** Starts a turn; `onEnd` is called once, unless the turn is abandoned. `isFollowUp`: after another engine's answer. */
  beginTurn(isFollowUp: boolean, onEnd: (end: TurnEnd) => void): void {
    if (isFollowUp) this.#tagger.separate();
    this.turnId = crypto.randomUUID();
    this.#hasWorked = true;
    this.isAboutToWork = () => false;
    this.#wasFree ||= !this.#isCareful;
    this.#answer = "";
    this.#diffs.clear();
    this.#onEnd = onEnd;
  }

  /** The turn is over for this session, whatever the engine still reports. */
  dropTurn(): void {
    this.#onEnd = undefined;
    this.isNeeded = () => false;
    this.isAboutToWork = () => false;
  }

  async #read(signal: AbortSignal, onUpdates: (updates: readonly SessionUpdate[]) => void): Promise<boolean> {
    const reading = { onUpdates, hasSharedContext: false };
    this.#reading = reading;
    try {
      await this.#conversation.replay(signal);
    } finally {
      this.#reading = undefined;
    }
    return reading.hasSharedContext;
  }

  #onEvent(event: EngineEvent): void {
    if (event.type === "turn_ended") {
      const onEnd = this.#onEnd;
      this.#onEnd = undefined;
      this.isNeeded = () => false;
      return onEnd?.(event.end);
    }
    if (event.type === "commands_changed") this.commands = event.commands;
    if (event.type === "settings_changed") this.#wasFree ||= this.isWorking && !this.#isCareful;
    if (event.type !== "updates") return this.#options.onEvent(event);
    if (this.#reading !== undefined) {
      const updates = event.updates.flatMap(withoutSharedContext);
      this.#reading.hasSharedContext ||= event.updates.some((one) => !updates.includes(one));
      return this.#reading.onUpdates(updates);
    }
    for (const update of event.updates) this.#noteAnswer(update);
    const updates = event.updates.map((one) => this.#tagged(one));
    for (const one of updates) if (one.sessionUpdate === "plan") this.plan = one.entries;
    this.#options.onUpdates(updates);
  }

  #tagged(update: SessionUpdate): SessionUpdate {
    const isCall = update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update";
    if (!isCall) return this.#options.isTagged() ? this.#tagger.tag(update) : update;
    const { toolCallId, status } = update;
    if (update.sessionUpdate === "tool_call" && this.#options.isTagged()) this.#taggedCalls.add(toolCallId);
    const isTagged = this.#taggedCalls.has(toolCallId);
    if (status === "completed" || status === "failed") this.#taggedCalls.delete(toolCallId);
    return isTagged ? this.#tagger.tag(update) : update;
  }

  async #ask<D>(question: PermissionQuestion<D>, signal: AbortSignal): Promise<D> {
    const { host, onAllowed } = this.#options;
    const decision = await host.ask(this.#taggedQuestion(question), signal);
    const isAllowed = question.choices.some((one) => one.decision === decision && one.option.kind.startsWith("allow"));
    if (!isAllowed) return decision;
    this.#wasFree = true;
    try {
      await onAllowed(this);
      return decision;
    } catch {
      return question.rejected;
    }
  }

  /** The call of a question may have been announced before, or not at all. */
  #taggedQuestion<Q extends { readonly toolCall: ToolCallUpdate }>(question: Q): Q {
    const isTagged = this.#options.isTagged() || this.#taggedCalls.has(question.toolCall.toolCallId);
    const toolCall = isTagged ? this.#tagger.toolCall(question.toolCall) : question.toolCall;
    return { ...question, engineName: this.engine.name, toolCall };
  }

  #noteAnswer(update: SessionUpdate): void {
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") {
      const diffs = (update.content ?? []).flatMap((part) => (part.type === "diff" ? [part] : []));
      if (diffs.length > 0) this.#diffs.set(update.toolCallId, diffs);
      // It was rejected, or it failed: nothing was changed.
      if (update.status === "failed") this.#diffs.delete(update.toolCallId);
      return;
    }
    if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") return;
    const id = update.messageId ?? undefined;
    this.#answer = id === this.#answerId ? this.#answer + update.content.text : update.content.text;
    this.#answerId = id;
  }
}

/** The directory, and the repository that it lies in. */
function withRepository(directory: string): readonly string[] {
  const repository = withParents([directory]).all.find((one) => existsSync(join(one, ".git")));
  return repository === undefined ? [directory] : [directory, repository];
}

/** Nothing is left of a block that has only what another engine said. */
function withoutSharedContext(update: SessionUpdate): readonly SessionUpdate[] {
  if (update.sessionUpdate !== "user_message_chunk" || update.content.type !== "text") return [update];
  const text = withoutContext(update.content.text);
  if (text === update.content.text) return [update];
  return text === "" ? [] : [{ ...update, content: { ...update.content, text } }];
}
