/**
 * Sessions: every conversation that is served, over one connection to the agent.
 *
 * A session may work in the allowed directories and below them, nowhere else, and only
 * conversations that were held there can be listed, opened and deleted.
 */
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { client, type ClientConnection, type SessionInfo } from "../acp/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";
import { type Link, memoryPair } from "../wire/index.ts";
import { HttpError } from "./http-error.ts";
import { ServedSession } from "./session.ts";

export interface SessionsOptions {
  /** Starts the agent on its end of a link. */
  readonly startAgent: (link: Link) => { readonly stop: (reason: string) => Promise<void> };
  readonly version: string;
  /** Where sessions may work; the first is where they do unless they say otherwise. */
  readonly roots: readonly [string, ...string[]];
  readonly maxSessions: number;
  /** For each session. */
  readonly maxEventLogChars?: number | undefined;
  readonly now: () => number;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export interface OpenSessionRequest {
  readonly cwd?: string | undefined;
  /** A saved conversation to go on with. */
  readonly sessionId?: string | undefined;
}

export class ServedSessions {
  readonly #options: SessionsOptions;
  readonly #open = new Map<string, ServedSession>();
  /** Requests that open a session, by the id of the conversation or by themselves. */
  readonly #opening = new Set<string | symbol>();
  #agent: ClientConnection | undefined;
  #stopAgent: (reason: string) => Promise<void> = async () => {};

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  async connect(): Promise<void> {
    const { startAgent, version, onBug } = this.#options;
    const [agentEnd, clientEnd] = memoryPair();
    this.#stopAgent = startAgent(agentEnd).stop;
    this.#agent = await client(
      clientEnd,
      {
        info: { name: "bowline-serve", version },
        // Exit codes come with what a terminal shows.
        _meta: { terminal_output: true },
        handlers: () => ({
          "session/update": ({ sessionId, update }) => this.#open.get(sessionId)?.update(update),
          "session/request_permission": (request, { signal }) =>
            this.#open.get(request.sessionId)?.ask(request, signal) ?? { outcome: { outcome: "cancelled" } },
        }),
      },
      { onBug },
    );
  }

  /** Where a session works unless it says otherwise. */
  get root(): string {
    return this.#options.roots[0];
  }

  get(id: string): ServedSession {
    const session = this.#open.get(id);
    if (session === undefined) throw notFound();
    return session;
  }

  /** The newest first. */
  list(): readonly ServedSession[] {
    return [...this.#open.values()].reverse();
  }

  /** Conversations that were held in the default directory before. */
  async saved(): Promise<readonly SessionInfo[]> {
    const cwd = await realpath(this.#options.roots[0]);
    const { sessions } = await this.#connection().call("session/list", { cwd });
    const isWithin = await Promise.all(sessions.map((one) => this.#isWithinRoots(one.cwd)));
    return sessions.filter(({ sessionId }, i) => isWithin[i] === true && !this.#open.has(sessionId));
  }

  async open({ cwd: wished, sessionId }: OpenSessionRequest): Promise<ServedSession> {
    const { maxSessions } = this.#options;
    const opening = sessionId ?? Symbol("a new session");
    if (sessionId !== undefined && (this.#open.has(sessionId) || this.#opening.has(sessionId)))
      throw new HttpError("conflict", "the session is open");
    if (this.#open.size + this.#opening.size >= maxSessions)
      throw new HttpError("too_many", `${maxSessions} sessions are open already: close one first`);
    this.#opening.add(opening);
    try {
      const cwd = await this.#directory(wished);
      if (sessionId === undefined) return await this.#create(cwd);
      await this.#checkConversation(sessionId);
      return await this.#load(sessionId, cwd);
    } finally {
      this.#opening.delete(opening);
    }
  }

  /** Ends a session and all it started. Its conversation stays, unless it is to be erased. */
  async close(id: string, isErased: boolean): Promise<void> {
    const session = this.get(id);
    try {
      await this.#connection().call(isErased ? "session/delete" : "session/close", { sessionId: id });
    } finally {
      // One the agent cannot close is of no use to anybody either.
      this.#open.delete(id);
      session.end();
    }
  }

  /** Ends everything. */
  async closeAll(reason: string): Promise<void> {
    for (const session of this.#open.values()) session.end();
    this.#agent?.close(reason);
    await Promise.all([this.#agent?.settled, this.#stopAgent(reason)]);
  }

  async #create(cwd: string): Promise<ServedSession> {
    const { sessionId, configOptions } = await this.#connection().call("session/new", { cwd, mcpServers: [] });
    // The agent tells nothing of a session in the same breath in which it names it.
    const session = this.#keep(sessionId, cwd);
    session.options = configOptions ?? [];
    return session;
  }

  async #load(sessionId: string, cwd: string): Promise<ServedSession> {
    // What was said before is told before the answer.
    const session = this.#keep(sessionId, cwd);
    try {
      const { configOptions } = await this.#connection().call("session/load", { sessionId, cwd, mcpServers: [] });
      session.options = configOptions ?? [];
      return session;
    } catch (cause) {
      this.#open.delete(sessionId);
      throw cause;
    }
  }

  #keep(id: string, cwd: string): ServedSession {
    const { now, onBug, maxEventLogChars } = this.#options;
    const session = new ServedSession({ id, cwd, now, onBug, maxEventLogChars, agent: () => this.#connection() });
    this.#open.set(id, session);
    return session;
  }

  #connection(): ClientConnection {
    if (this.#agent?.isOpen !== true)
      throw new HttpError("unavailable", "the agent is gone: start bowline serve again");
    return this.#agent;
  }

  /** Links are followed first: one could lead out of the allowed directories. */
  async #directory(wished: string | undefined): Promise<string> {
    const { roots } = this.#options;
    const cwd = await realpath(resolve(roots[0], wished ?? "")).catch(() => undefined);
    if (cwd === undefined) throw new HttpError("bad_request", "cwd must be a directory that exists");
    if (await this.#isWithinRoots(cwd)) return cwd;
    throw new HttpError("forbidden", "cwd must be in one of the server's directories: see --root");
  }

  /** A conversation held outside the allowed directories is refused as an unknown one is. */
  async #checkConversation(sessionId: string): Promise<void> {
    try {
      const { _meta: meta } = await this.#connection().call("session/status", { sessionId });
      const cwd = meta?.["cwd"];
      if (typeof cwd === "string" && (await this.#isWithinRoots(cwd))) return;
    } catch (cause) {
      if (!(cause instanceof RpcError) || cause.code !== errorCodes.resourceNotFound) throw cause;
    }
    throw notFound();
  }

  /** A directory that is not there any more is outside: its links cannot be followed. */
  async #isWithinRoots(directory: string): Promise<boolean> {
    if (!isAbsolute(directory)) return false;
    const real = await realpath(directory).catch(() => undefined);
    if (real === undefined) return false;
    for (const root of this.#options.roots) {
      if (isWithin(await realpath(root).catch(() => root), real)) return true;
    }
    return false;
  }
}

/** The same for a session that is not open, a conversation that is unknown and one that may not be known. */
function notFound(): HttpError {
  return new HttpError("not_found", "Session not found");
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
