/**
 * Sessions: every conversation this agent has open, and how each is opened:
 * new, loaded, resumed, forked.
 *
 * Sessions are independent of each other. One that waits ready is taken when it
 * fits, and another is prepared in its place.
 */
import { statSync } from "node:fs";
import type { AgentConnection, McpServer } from "../../acp/index.ts";
import type { Environment, ConversationTarget } from "../../claude/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import { notice, type ClientView } from "../../claude/translate/index.ts";
import { configFingerprint } from "./config-fingerprint.ts";
import { cliFailure, isUnknownConversation, unknownSession } from "../errors.ts";
import { mcpConfiguration } from "../cli/mcp-config.ts";
import type { SessionStore } from "./session-store.ts";
import { Session } from "../session/session.ts";
import type { SessionContext } from "../session/session-context.ts";
import type { Settings } from "../settings/settings.ts";
import { PrewarmedSessions } from "./prewarmed-sessions.ts";

/** Sessions that may be open at once; each may have a CLI of its own. */
export const maxSessions = 1000;

/** What a request to open a session says, whichever it is. */
export interface SessionRequest {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers?: readonly McpServer[] | undefined;
}

export interface SessionRegistryOptions extends Omit<SessionContext, "view" | "client"> {
  readonly store: SessionStore;
  readonly settings: Partial<Settings>;
  readonly env: Environment;
  /** False: no session is started before it is asked for. */
  readonly prewarms: boolean;
  readonly textOf: ClientView["textOf"];
}

export class SessionRegistry {
  readonly #client: AgentConnection;
  readonly #options: SessionRegistryOptions;
  readonly #open = new Map<string, Session>();
  readonly #prewarmed: PrewarmedSessions;
  /** Where a session was opened before; only the first continues what was there. */
  readonly #visited = new Set<string>();
  /** Conversations that are being opened again. */
  readonly #opening = new Map<string, Promise<Session>>();
  #isClosed = false;

  constructor(client: AgentConnection, options: SessionRegistryOptions) {
    this.#client = client;
    this.#options = options;
    this.#prewarmed = new PrewarmedSessions({
      after: options.after,
      // Written by `keyOf` from a wish.
      open: (key) => this.#make(JSON.parse(key) as SessionRequest, { kind: "new", id: crypto.randomUUID() }),
      fingerprintOf: (key) => configFingerprint(options.env, (JSON.parse(key) as SessionRequest).cwd),
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

  async create(wish: SessionRequest): Promise<Session> {
    checkDirectories(wish);
    const session =
      (await this.#continued(wish)) ??
      (await this.#waiting(wish)) ??
      (await this.#begin(this.#make(wish, { kind: "new", id: crypto.randomUUID() })));
    this.#prepare(wish);
    return session;
  }

  /** Continues a conversation under its id. `isShown`: everything said so far is told first. */
  async reopen(sessionId: string, wish: SessionRequest, isShown: boolean, signal: AbortSignal): Promise<Session> {
    checkDirectories(wish);
    // Two at once would be two writers.
    const before = this.#opening.get(sessionId);
    const opening = (before ?? Promise.resolve())
      .catch(() => {})
      .then(() => this.#reopen(sessionId, wish, isShown, signal));
    this.#opening.set(sessionId, opening);
    try {
      return await opening;
    } finally {
      if (this.#opening.get(sessionId) === opening) this.#opening.delete(sessionId);
    }
  }

  /** A new conversation that begins as a copy of another. */
  async fork(sessionId: string, wish: SessionRequest): Promise<Session> {
    checkDirectories(wish);
    const original = this.#open.get(sessionId);
    const copied = original?.conversationId ?? sessionId;
    const isSaved = await this.#options.store.has(copied);
    if (!isSaved && original === undefined) throw unknownSession(sessionId);
    const id = crypto.randomUUID();
    // Of one in which nothing was said there is nothing to copy.
    const choice: ConversationTarget = isSaved ? { kind: "resume", id: copied, forkTo: id } : { kind: "new", id };
    const session = await this.#begin(this.#make(wish, choice));
    this.#prepare(wish);
    return session;
  }

  async close(sessionId: string, reason: string): Promise<void> {
    const session = this.#open.get(sessionId);
    this.#open.delete(sessionId);
    await session?.close(reason);
  }

  /** Ends the sessions that wait for somebody: what they began with no longer holds. */
  discardPrewarmed(reason: string): Promise<void> {
    return this.#prewarmed.clear(reason);
  }

  async closeAll(reason: string): Promise<void> {
    this.#isClosed = true;
    const ids = [...this.#open.keys()];
    await Promise.all([this.#prewarmed.close(reason), ...ids.map((id) => this.close(id, reason))]);
  }

  async #reopen(sessionId: string, wish: SessionRequest, isShown: boolean, signal: AbortSignal): Promise<Session> {
    const isSaved = await this.#options.store.has(sessionId);
    if (!isSaved && !this.#open.has(sessionId)) throw unknownSession(sessionId);
    // Two writers would ruin the file.
    await this.close(sessionId, "it is opened again");
    this.#visited.add(wish.cwd);
    // One in which nothing was said yet is no file, and begins again.
    const session = this.#make(wish, { kind: isSaved ? "resume" : "new", id: sessionId });
    const begun = this.#begin(session);
    begun.catch(() => {});
    try {
      if (isShown && isSaved) await this.#replay(session, signal);
      await begun;
    } catch (cause) {
      // Both may fail; the first reason is told.
      await Promise.allSettled([begun, session.close("it could not be opened")]);
      if (this.#open.get(sessionId) === session) this.#open.delete(sessionId);
      throw isUnknownConversation(cause) ? unknownSession(sessionId) : cause;
    }
    this.#prepare(wish);
    return session;
  }

  /** Starts a session unless it is ready, and makes it known. */
  async #begin(session: Session): Promise<Session> {
    if (this.#isClosed) throw new RpcError(errorCodes.internalError, "the agent is about to end");
    if (this.#open.size >= maxSessions && !this.#open.has(session.id)) {
      const text = `too many sessions are open, the limit is ${maxSessions}: close one first`;
      throw new RpcError(errorCodes.internalError, text);
    }
    this.#open.set(session.id, session);
    try {
      await session.start();
      return session;
    } catch (cause) {
      if (this.#open.get(session.id) === session) this.#open.delete(session.id);
      throw cause;
    }
  }

  /** One that was waiting. Should it fail after all, nobody has seen it and another is made. */
  async #waiting(wish: SessionRequest): Promise<Session | undefined> {
    const session = this.#prewarmed.take(keyOf(wish));
    return session && this.#begin(session).catch(() => undefined);
  }

  #prepare(wish: SessionRequest): void {
    if (this.#options.prewarms) this.#prewarmed.prepare(keyOf(wish));
  }

  #make(wish: SessionRequest, target: ConversationTarget): Session {
    const { cwd, additionalDirectories = [], mcpServers = [] } = wish;
    const { settings } = this.#options;
    return new Session(
      { ...this.#options, client: this.#client, view: this.#viewOf(cwd) },
      { target, cwd, additionalDirectories, mcpServers: mcpConfiguration(mcpServers), settings },
    );
  }

  /** A directory's first session goes on with the last conversation there, where the user wants that. */
  async #continued(wish: SessionRequest): Promise<Session | undefined> {
    const isFirst = !this.#visited.has(wish.cwd);
    this.#visited.add(wish.cwd);
    if (!isFirst || this.#options.settings.autoResume !== true) return undefined;
    const id = await this.#options.store.latest(wish.cwd);
    if (id === undefined || this.#open.has(id)) return undefined;
    return this.#begin(this.#make(wish, { kind: "resume", id })).catch((cause: unknown) => {
      // One the CLI does not know any more is no reason to have none.
      if (isUnknownConversation(cause)) return undefined;
      throw cause;
    });
  }

  async #replay(session: Session, signal: AbortSignal): Promise<void> {
    const report = await this.#options.store
      .replay(session.id, (event) => session.replay(event), signal)
      .catch((cause: unknown) => Promise.reject(cliFailure(cause)));
    const { unreadableCount = 0, leftOutBytes = 0 } = report ?? {};
    const remarks = [
      ...(unreadableCount > 0 ? [`${unreadableCount} lines of this conversation could not be read.`] : []),
      ...(leftOutBytes > 0 ? [`${leftOutBytes} bytes of long tool results were left out.`] : []),
    ];
    session.endReplay(remarks.map((text) => notice(this.#viewOf(""), "warning", text)));
  }

  #viewOf(cwd: string): ClientView {
    const { session, _meta } = this.#client.clientCapabilities;
    return {
      cwd,
      showsTerminals: _meta?.["terminal_output"] === true,
      showsNotices: session?.notices != null,
      showsCompaction: session?.compaction != null,
      textOf: this.#options.textOf,
    };
  }
}

/** What two requests must have in common for one session to serve either. */
function keyOf({ cwd, additionalDirectories = [], mcpServers = [] }: SessionRequest): string {
  return JSON.stringify({ cwd, additionalDirectories, mcpServers });
}

/** Directories that are not there would fail later, and say less. */
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
    // No path at all, or one that may not be looked at.
    return false;
  }
}
