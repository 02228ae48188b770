/**
 * A conversation of two engines in one session: each prompt goes to one of them, or in a
 * duet to both, one after the other on the same files.
 *
 * Each engine has its own conversation, opened when it is first needed. The session's id
 * is that of the first one. The agent sees one conversation like any other.
 */
import { type ContentBlock, update } from "../../acp/index.ts";
import { notice } from "../../display/index.ts";
import type {
  Conversation,
  ConversationHost,
  ConversationRequest,
  Engine,
  EngineEvent,
  SettingsState,
  Prompt,
  TurnEnd,
} from "../../engine/index.ts";
import { type AllSessions, type ConfigurationsOptions, EngineConfigurations } from "./engine-configuration.ts";
import { DirectoryConsent } from "./directory-consent.ts";
import { EngineIsolation } from "./engine-isolation.ts";
import { ChosenMode } from "./chosen-mode.ts";
import { EngineTrack } from "./engine-track.ts";
import { StartGate, startNotice } from "./start-gate.ts";
import { replayParts } from "./replay-parts.ts";
import { promptFor } from "./engine-prompt.ts";
import {
  changedRoute,
  enginesOf,
  commandsOfRoute,
  readRouteCommand,
  routeOptions,
  type RouteSettings,
  secondModels,
} from "./route-options.ts";
import type { RoutedRecord } from "./routed-record.ts";
import { type EngineId, otherEngine, type Route } from "../route.ts";
import { isClearing, SharedContext, textOf } from "./shared-context.ts";
import { combinedEnd, describeFailure, failedEnd, type RunningTurn } from "./turn-result.ts";

export interface RoutedConversationOptions extends ConfigurationsOptions {
  readonly engines: { readonly [E in EngineId]: Engine };
  readonly request: ConversationRequest;
  readonly host: ConversationHost;
  readonly settings: RouteSettings;
  readonly record: RoutedRecord;
  readonly all: AllSessions;
}

export class RoutedConversation implements Conversation {
  readonly #options: RoutedConversationOptions;
  readonly #tracks = new Map<EngineId, EngineTrack>();
  readonly #context = new SharedContext();
  readonly #configurations: EngineConfigurations;
  readonly #isolation: EngineIsolation;
  readonly #gate: StartGate;
  readonly #owner: EngineTrack;
  readonly #mode: ChosenMode;
  #settings: RouteSettings;
  #starting: Promise<string | undefined> | undefined;
  #turn: RunningTurn | undefined;

  constructor(options: RoutedConversationOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#configurations = new EngineConfigurations(options);
    const { tracks } = options.all;
    this.#isolation = new EngineIsolation({ all: tracks, own: () => this.#opened, host: options.host });
    this.#gate = new StartGate(new DirectoryConsent(options), this.#isolation, this.#configurations, tracks);
    this.#owner = this.#track(options.owner);
    this.#mode = new ChosenMode(this.#owner, options.request.settings["mode"]);
  }

  get id(): string {
    return this.#owner.conversation.id;
  }

  get savedId(): string {
    return this.#owner.conversation.savedId;
  }

  get isRunning(): boolean {
    return this.#opened.some(({ conversation }) => conversation.isRunning);
  }

  get isBusy(): boolean {
    return this.#turn !== undefined || this.#opened.some(({ conversation }) => conversation.isBusy);
  }

  get prefersEditorText(): boolean {
    return this.#first.conversation.prefersEditorText;
  }

  /** Only if every engine that would get the prompt is open and agrees. */
  async mayInlineFile(path: string, prompt: readonly ContentBlock[]): Promise<boolean> {
    const route = readRouteCommand(prompt)?.route ?? this.#settings.route;
    const tracks = enginesOf(this.#settings, route).map((id) => this.#tracks.get(id));
    const answers = await Promise.all(tracks.map(async (track) => track?.conversation.mayInlineFile(path, prompt)));
    return answers.every((answer) => answer === true);
  }

  get settingsState(): SettingsState {
    const { settingsState } = this.#first.conversation;
    const models = secondModels(this.#settings, this.#tracks);
    const options = [...routeOptions(this.#settings), ...models, ...settingsState.options];
    return { ...settingsState, engineName: this.#first.engine.name, options };
  }

  /** Of the engine that answers first. */
  get rewinder(): Conversation["rewinder"] {
    return this.#first.rewinder;
  }

  get controls(): Conversation["controls"] {
    return this.#first.controls;
  }

  async start(): Promise<void> {
    this.#configurations.open();
    try {
      this.#starting = this.#owner.startUnasked();
      const why = await this.#starting;
      // The first prompt starts it, once the user has agreed.
      if (why !== undefined) this.#tell(startNotice(why, this.#owner, this.#options.request));
    } catch (failure) {
      this.#leave();
      throw failure;
    }
  }

  async replay(signal: AbortSignal): Promise<void> {
    const { engines, record, owner, host } = this.#options;
    if (!engines[owner].capabilities.replaysFromDisk) await this.#starting;
    const other = otherEngine(owner);
    return replayParts({
      owner: this.#owner,
      other: record.saved[other] === undefined ? undefined : () => this.#track(other),
      otherName: engines[other].name,
      turns: record.turns,
      host,
      start: async (track) => (await track.startUnasked()) ?? this.#mode.giveTo(track),
      tell: (text) => this.#tell(text),
      signal,
    });
  }

  async ready(isWanted: () => boolean, prompt?: readonly ContentBlock[]): Promise<void> {
    const command = readRouteCommand(prompt ?? []);
    // The command alone switches, and starts what it needs.
    if (command?.rest.length === 0) return;
    const track = this.#firstOf(command?.route ?? this.#settings.route);
    const starting = this.#readyTrack(track, isWanted);
    // No prompt is on its way: the engine is asked for something else.
    if (prompt === undefined) track.isNeeded = () => false;
    await starting;
  }

  submit(prompt: Prompt, added: readonly Prompt[] = []): void {
    const command = readRouteCommand(prompt.content);
    const route = command?.route ?? this.#settings.route;
    const turn: RunningTurn = { route, track: undefined, isCancelled: false, isAcknowledged: false };
    this.#turn = turn;
    if (command?.rest.length === 0) return void this.#switch(turn, command.route);
    void this.#run(turn, { ...prompt, content: command?.rest ?? prompt.content }, added);
  }

  steer(prompt: Prompt): boolean {
    return this.#turn?.track?.conversation.steer(prompt) ?? false;
  }

  interrupt(): void {
    const turn = this.#turn;
    if (turn !== undefined) {
      turn.isCancelled = true;
      if (turn.track !== undefined) return turn.track.conversation.interrupt();
      // No engine works on it: one is being started.
      return this.#endTurn(turn, cancelled);
    }
    for (const { conversation } of this.#opened) if (conversation.isBusy) conversation.interrupt();
  }

  abandon(reason: string): void {
    const track = this.#turn?.track;
    track?.dropTurn();
    // Ends the calls of the turn.
    track?.conversation.abandon(reason);
    this.#turn = undefined;
  }

  async change(optionId: string, value: string, isWanted = (): boolean => true): Promise<void> {
    const changed = changedRoute(this.#settings, optionId, value);
    if (changed !== undefined) {
      for (const engine of enginesOf(changed, changed.route)) await this.#startTrack(this.#track(engine));
      if (!isWanted()) return;
      // Another option may have changed meanwhile.
      this.#settings = changedRoute(this.#settings, optionId, value) ?? changed;
      return this.#reportCommands();
    }
    const other = /^(claude|codex)_model$/.exec(optionId)?.[1];
    if (other === "claude" || other === "codex") return this.#track(other).conversation.change("model", value);
    if (!this.#first.hasStarted) await this.#startTrack(this.#first);
    if (optionId !== "mode") return this.#first.conversation.change(optionId, value);
    await this.#mode.choose(value, this.#first, this.#opened);
    // In the new mode the engine that works may change files without a question.
    if (this.#turn?.track !== undefined) await this.#isolation.stopBeside(this.#turn.track);
  }

  async rename(title: string): Promise<boolean> {
    return this.#owner.hasStarted && this.#owner.conversation.rename(title);
  }

  pause(): void {
    for (const { conversation } of this.#opened) conversation.pause();
  }

  resume(): void {
    for (const { conversation } of this.#opened) conversation.resume();
  }

  release(reason: string): boolean {
    return this.#opened.map(({ conversation }) => conversation.release(reason)).every(Boolean);
  }

  async close(reason: string): Promise<void> {
    this.#turn = undefined;
    for (const track of this.#opened) track.dropTurn();
    this.#leave();
    await Promise.all(this.#opened.map(({ conversation }) => conversation.close(reason)));
  }

  #leave(): void {
    this.#configurations.close();
    for (const track of this.#opened) this.#options.all.shared.close(track);
  }

  get #opened(): readonly EngineTrack[] {
    return [...this.#tracks.values()];
  }

  /** The engine that answers first under the current route. */
  get #first(): EngineTrack {
    return this.#firstOf(this.#settings.route);
  }

  #firstOf(route: Route): EngineTrack {
    return this.#track(enginesOf(this.#settings, route)[0] ?? this.#options.owner);
  }

  #track(id: EngineId): EngineTrack {
    const known = this.#tracks.get(id);
    if (known !== undefined) return known;
    const { engines, request, host, owner, record } = this.#options;
    const track = new EngineTrack(engines[id], id === owner ? request : record.requestOfOther(request, id), {
      host,
      env: this.#options.env,
      gate: this.#gate,
      isTagged: () => (this.#turn?.route ?? this.#settings.route) === "duet",
      onUpdates: (updates) => {
        // A plan is shown with those of the other engines.
        const plan = update.plan(this.#opened.flatMap((one) => one.plan));
        host.onEvent({ type: "updates", updates: updates.map((one) => (one.sessionUpdate === "plan" ? plan : one)) });
      },
      onEvent: (event) => this.#onEvent(event),
      onAllowed: (allowed) => this.#isolation.stopBeside(allowed),
    });
    this.#tracks.set(id, track);
    return track;
  }

  async #startTrack(track: EngineTrack, start = (): Promise<void> => track.start()): Promise<void> {
    const isLate = track === this.#owner && !track.hasStarted;
    await start();
    this.#keepAccepted();
    await this.#mode.giveTo(track);
    if (isLate) this.#options.host.onEvent({ type: "settings_changed" });
  }

  /** Saves which files the user has accepted, for the next run of the program. Returns false when that failed. */
  #keepAccepted(): boolean {
    return this.#configurations.keep(() => this.savedId, this.#opened);
  }

  #readyTrack(track: EngineTrack, isWanted: () => boolean): Promise<void> {
    return this.#startTrack(track, () => track.ready(isWanted));
  }

  /** Changes the route by a slash command, and says so. */
  async #switch(turn: RunningTurn, route: Route): Promise<void> {
    this.#acknowledge(turn);
    try {
      await this.change("route", route, () => this.#turn === turn);
      if (this.#turn !== turn) return;
      this.#options.host.onEvent({ type: "settings_changed" });
      const who = route === "duet" ? "Claude and Codex answer" : `${this.#first.engine.name} answers`;
      const said = update.agentMessage(`${who} from now on.`);
      this.#options.host.onEvent({ type: "updates", updates: [said] });
      this.#endTurn(turn, { kind: "stopped", stopReason: "end_turn" });
    } catch (failure) {
      this.#endTurn(turn, { kind: "lost", failure });
    }
  }

  /** Runs the prompt through the engines of the turn, one after the other. Never rejects. */
  async #run(turn: RunningTurn, prompt: Prompt, added: readonly Prompt[]): Promise<void> {
    const isClear = isClearing(prompt);
    // `/clear` is for every engine that has a part of the conversation.
    const ids = [...new Set([...enginesOf(this.#settings, turn.route), ...(isClear ? this.#tracks.keys() : [])])];
    if (isClear) {
      this.#context.clear();
      this.#options.record.cleared(this.savedId);
    }
    const ends: TurnEnd[] = [];
    for (const [i, id] of ids.entries()) {
      if (turn.isCancelled || this.#turn !== turn) break;
      try {
        const track = this.#track(id);
        const previous = i > 0 && ends[0]?.kind === "stopped" ? this.#tracks.get(ids[0] ?? id) : undefined;
        // `ready` has made the first engine ready, so that its prompt is sent at once.
        const isWanted = (): boolean => this.#turn === turn && !turn.isCancelled;
        if (i > 0) await this.#readyTrack(track, isWanted);
        await this.#isolation.stopAll(track, isWanted, () => this.#readyTrack(track, isWanted));
        if (turn.isCancelled || this.#turn !== turn) break;
        const shared = { isFollowUp: i > 0, previous, settings: this.#settings, context: this.#context };
        const end = await this.#submitTo(turn, track, promptFor(track, prompt, shared), i === 0 ? added : [], i > 0);
        // The agent may submit a prompt again that no engine had taken.
        if (end.kind === "lost" && i === 0 && !turn.isAcknowledged) return this.#endTurn(turn, end);
        ends.push(end);
      } catch (failure) {
        ends.push(failedEnd(failure));
      }
      if (this.#turn !== turn) return;
      const failure = describeFailure(this.#options.engines[id].name, ends.at(-1));
      if (ids.length > 1 && failure !== undefined) this.#tell(failure);
    }
    if (turn.isCancelled) ends.push(cancelled);
    this.#endTurn(turn, combinedEnd(ends));
  }

  #submitTo(
    turn: RunningTurn,
    track: EngineTrack,
    prompt: Prompt,
    added: readonly Prompt[],
    isFollowUp: boolean,
  ): Promise<TurnEnd> {
    const { id, name } = track.engine;
    this.#configurations.begins(id);
    if (!this.#keepAccepted()) throw this.#configurations.notKept(name);
    turn.track = track;
    this.#options.all.shared.promptCount++;
    return new Promise((resolve) => {
      track.beginTurn(isFollowUp, (end) => {
        turn.track = undefined;
        this.#context.answered(id, name, track.answer);
        this.#options.record.turnEnded(this.savedId, track, prompt, isFollowUp);
        this.#keepAccepted();
        resolve(end);
      });
      this.#context.prompted(id, textOf(prompt));
      track.conversation.submit(prompt, added);
    });
  }

  /** Tells the user something that belongs to no engine's answer. */
  #tell(text: string): void {
    const { host } = this.#options;
    host.onEvent({ type: "updates", updates: [notice(host.view, "warning", text)] });
  }

  #onEvent(event: Exclude<EngineEvent, { readonly type: "updates" }>): void {
    if (event.type === "commands_changed") return this.#reportCommands();
    if (event.type === "acknowledged") return this.#turn && this.#acknowledge(this.#turn);
    this.#options.host.onEvent(event);
  }

  #acknowledge(turn: RunningTurn): void {
    if (turn.isAcknowledged) return;
    turn.isAcknowledged = true;
    // The id is another one after `/clear`.
    this.#keepAccepted();
    this.#options.host.onEvent({ type: "acknowledged" });
  }

  #endTurn(turn: RunningTurn, end: TurnEnd): void {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    this.#options.host.onEvent({ type: "turn_ended", end });
  }

  /** The commands of the engines of the route, and those that switch the route. */
  #reportCommands(): void {
    const engines = enginesOf(this.#settings, this.#settings.route);
    const commands = commandsOfRoute(engines.map((id) => this.#tracks.get(id)?.commands ?? []));
    this.#options.host.onEvent({ type: "commands_changed", commands });
  }
}

const cancelled: TurnEnd = { kind: "stopped", stopReason: "cancelled" };
