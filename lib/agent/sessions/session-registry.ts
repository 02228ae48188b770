/**
 * Holds the open sessions of one client, and opens them: new, loaded, resumed or
 * forked.
 *
 * A conversation is open in at most one session, because two CLIs would write to the
 * same transcript. `session/new` takes a prewarmed session if one fits; after each
 * opened session the next one is prewarmed.
 */
import { statSync } from "node:fs";
import type { McpServer } from "../../acp/index.ts";
import type { RequestedOptions, ConversationStart } from "../../engine/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import type { AgentContext, AgentSettings } from "../agent-context.ts";
import { isUnknownConversation, rpcErrorOf, unknownSession } from "../errors.ts";
import { Session } from "../session/session.ts";
import { PrewarmedSessions } from "./prewarmed-sessions.ts";

/** The parameters that `session/new`, `load`, `resume` and `fork` share. */
export interface SessionRequest {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers?: readonly McpServer[] | undefined;
  /** What the client asks for beyond the protocol. */
  readonly requestedOptions?: RequestedOptions | undefined;
}

export class SessionRegistry {
  readonly #context: AgentContext;
  readonly #open = new Map<string, Session>();
  /** New sessions whose engine gets ready: their ids are not known yet. */
  readonly #starting = new Set<Session>();
  readonly #prewarmed: PrewarmedSessions;
  /** Directories in which a session was opened. Auto-resume applies only to the first session of a directory. */
  readonly #visited = new Set<string>();
  /** The last `reopen` of each conversation that is under way, by session id. */
  readonly #opening = new Map<string, Promise<Session>>();
  #isClosed = false;

  constructor(context: AgentContext) {
    this.#context = context;
    this.#prewarmed = new PrewarmedSessions({
      after: context.after,
      // `#keyOf` has written the key from a `SessionRequest`.
      open: (key) => this.#createSession(JSON.parse(key) as SessionRequest, { kind: "new" }),
      mayStart: () => context.engine.mayPrewarm?.() ?? true,
      fingerprintOf: (key) => context.engine.configFingerprint((JSON.parse(key) as SessionRequest).cwd),
      onBug: context.onBug,
    });
  }

  get(sessionId: string): Session {
    const session = this.#open.get(sessionId);
    if (session === undefined) throw unknownSession(sessionId);
    return session;
  }

  find(sessionId: string): Session | undefined {
    return this.#open.get(sessionId);
  }

  async create(request: SessionRequest): Promise<Session> {
    checkDirectories(request);
    const session =
      (await this.#autoResume(request)) ??
      (await this.#takePrewarmed(request)) ??
      (await this.#start(this.#createSession(request, { kind: "new" })));
    this.#prewarm(request);
    return session;
  }

  /** Continues a conversation under its id. `replays`: the saved conversation is sent to the client first. */
  async reopen(sessionId: string, request: SessionRequest, replays: boolean, signal: AbortSignal): Promise<Session> {
    checkDirectories(request);
    // Two requests for one conversation run one after the other.
    const previous = this.#opening.get(sessionId);
    const opening = (previous ?? Promise.resolve())
      .catch(() => {})
      .then(() => this.#reopen(sessionId, request, replays, signal));
    this.#opening.set(sessionId, opening);
    try {
      return await opening;
    } finally {
      if (this.#opening.get(sessionId) === opening) this.#opening.delete(sessionId);
    }
  }

  /** Opens a new conversation that begins as a copy of another, up to a message if one is given. */
  async fork(sessionId: string, request: SessionRequest, messageId?: string): Promise<Session> {
    checkDirectories(request);
    const original = this.#open.get(sessionId);
    const copied = original?.conversationId ?? sessionId;
    const isSaved = await this.#context.engine.conversations.has(copied);
    if (!isSaved && original === undefined) throw unknownSession(sessionId);
    // An open session without a prompt has no saved conversation to copy.
    const start: ConversationStart = isSaved ? await this.#forkStart(copied, messageId) : { kind: "new" };
    const session = await this.#start(this.#createSession(request, start));
    this.#prewarm(request);
    return session;
  }

  async #forkStart(id: string, messageId: string | undefined): Promise<ConversationStart> {
    if (messageId === undefined) return { kind: "fork", id };
    const { forkPoint } = this.#context.engine.conversations;
    const point = await forkPoint?.(id, messageId);
    if (point?.kind === "beginning") return { kind: "new" };
    if (point?.kind === "at") return { kind: "fork", id, at: point.at };
    const why = point === undefined ? "this agent forks whole conversations only" : "it is not in the conversation";
    throw new RpcError(errorCodes.invalidParams, `session/fork: the message cannot be a fork point: ${why}`);
  }

  async close(sessionId: string, reason: string): Promise<void> {
    const session = this.#open.get(sessionId);
    this.#open.delete(sessionId);
    await session?.close(reason);
  }

  /** Closes the prewarmed sessions, for example because the user signed out. */
  discardPrewarmed(reason: string): Promise<void> {
    return this.#prewarmed.clear(reason);
  }

  /** Never rejects. */
  async closeAll(reason: string): Promise<void> {
    this.#isClosed = true;
    const sessions = [...this.#open.values(), ...this.#starting];
    this.#open.clear();
    this.#starting.clear();
    await Promise.all([this.#prewarmed.close(reason), ...sessions.map((session) => session.close(reason))]);
    const { engine, onBug } = this.#context;
    try {
      await engine.close(reason);
    } catch (cause) {
      onBug("close", cause);
    }
  }

  async #reopen(sessionId: string, request: SessionRequest, replays: boolean, signal: AbortSignal): Promise<Session> {
    const isSaved = await this.#context.engine.conversations.has(sessionId);
    if (!isSaved && !this.#open.has(sessionId)) throw unknownSession(sessionId);
    // Two processes that write to one conversation would corrupt it.
    await this.close(sessionId, "it is opened again");
    this.#visited.add(request.cwd);
    // An open session without a prompt is not saved, and starts as a new conversation under the same id.
    const start: ConversationStart = isSaved ? { kind: "resume", id: sessionId } : { kind: "new" };
    const session = this.#createSession(request, start, sessionId);
    const started = this.#start(session);
    started.catch(() => {});
    try {
      if (replays && isSaved) await session.replay(signal);
      await started;
    } catch (cause) {
      // The replay and the start may both fail; the client gets the first error.
      await Promise.allSettled([started, session.close("it could not be opened")]);
      if (this.#open.get(sessionId) === session) this.#open.delete(sessionId);
      throw isUnknownConversation(cause) ? unknownSession(sessionId) : cause;
    }
    this.#prewarm(request);
    return session;
  }

  /** Adds a session to the open ones and waits until it has started. A session that does not start is removed again. */
  async #start(session: Session): Promise<Session> {
    if (this.#isClosed) throw new RpcError(errorCodes.internalError, "the agent is about to end");
    const { givenId } = session;
    const isOpen = givenId !== undefined && this.#open.has(givenId);
    const { maxSessions } = this.#context;
    if (this.#open.size + this.#starting.size >= maxSessions && !isOpen) {
      const text = `too many sessions are open, the limit is ${maxSessions}: close one first`;
      throw new RpcError(errorCodes.internalError, text);
    }
    if (givenId === undefined) this.#starting.add(session);
    else this.#open.set(givenId, session);
    try {
      await session.start();
      if (this.#starting.has(session)) this.#open.set(session.id, session);
      return session;
    } catch (cause) {
      if (givenId !== undefined && this.#open.get(givenId) === session) this.#open.delete(givenId);
      throw cause;
    } finally {
      this.#starting.delete(session);
    }
  }

  /** A prewarmed session that fits the request; undefined when there is none or it fails to start. */
  async #takePrewarmed(request: SessionRequest): Promise<Session | undefined> {
    // A prewarmed session was started without requested options.
    if (request.requestedOptions !== undefined) return undefined;
    const session = this.#prewarmed.take(this.#keyOf(request));
    return session && this.#start(session).catch(() => undefined);
  }

  #prewarm(request: SessionRequest): void {
    if (this.#context.prewarms) this.#prewarmed.prepare(this.#keyOf(request));
  }

  /** Requests with the same key can be served by the same prewarmed session. A session is made for what its client can show. */
  #keyOf({ cwd, additionalDirectories = [], mcpServers = [] }: SessionRequest): string {
    const { clientCapabilities } = this.#context.client;
    return JSON.stringify({ cwd, additionalDirectories, mcpServers, clientCapabilities });
  }

  /** `givenId`: the client knows the session by this id. */
  #createSession(request: SessionRequest, start: ConversationStart, givenId?: string): Session {
    const { cwd, additionalDirectories = [], mcpServers = [], requestedOptions } = request;
    const proposedId = givenId ?? crypto.randomUUID();
    const { model, effort } = requestedOptions ?? {};
    const settings = {
      ...chosenOptions(this.#context.settings),
      ...(model !== undefined && { model }),
      ...(effort !== undefined && { effort }),
    };
    try {
      return new Session(
        this.#context,
        { start, proposedId, cwd, additionalDirectories, mcpServers, settings, requestedOptions },
        givenId,
      );
    } catch (cause) {
      throw rpcErrorOf(cause);
    }
  }

  /** With the setting `auto_resume` the first session of a directory continues the last conversation there. */
  async #autoResume(request: SessionRequest): Promise<Session | undefined> {
    const isFirst = !this.#visited.has(request.cwd);
    this.#visited.add(request.cwd);
    if (!isFirst || this.#context.settings.autoResume !== true) return undefined;
    const id = await this.#context.engine.conversations.latest(request.cwd);
    if (id === undefined || this.#open.has(id)) return undefined;
    return this.#start(this.#createSession(request, { kind: "resume", id }, id)).catch((cause: unknown) => {
      // The engine does not know the conversation any more: a new one is opened instead.
      if (isUnknownConversation(cause)) return undefined;
      throw cause;
    });
  }
}

/** The settings of new sessions as values of config options. */
function chosenOptions(settings: AgentSettings): Readonly<Record<string, string>> {
  const { mode, model, effort, edits, commands } = settings;
  const chosen = { mode, model, effort, edits, commands };
  return Object.fromEntries(
    Object.entries(chosen).flatMap(([id, value]) => (value === undefined ? [] : [[id, String(value)]])),
  );
}

/** Checks that every directory exists. Without the check the CLI would fail later, with an error that says less. */
function checkDirectories({ cwd, additionalDirectories = [] }: SessionRequest): void {
  const named = [
    ["cwd", cwd],
    ...additionalDirectories.map((path, i) => [`additionalDirectories.${i}`, path]),
  ] as const;
  for (const [name, path] of named) {
    if (!isDirectory(path ?? ""))
      throw new RpcError(errorCodes.invalidParams, `${name} must be a directory that exists`);
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // An invalid path, or one that this user may not look at.
    return false;
  }
}
