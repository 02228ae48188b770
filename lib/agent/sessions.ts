/**
 * Sessions: every conversation this agent has open, and how each is opened:
 * new, loaded, resumed, forked.
 *
 * Sessions are independent of each other. One that waits ready is taken when it
 * fits, and another is prepared in its place.
 */
import { statSync } from "node:fs";
import type { AgentConnection } from "../acp/index.ts";
import type { SessionChoice } from "../claude/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";
import { notice, type View } from "../translate/index.ts";
import { cliFailure, isUnknownConversation, unknownSession } from "./failures.ts";
import { mcpConfiguration } from "./mcp-servers.ts";
import type { Saved } from "./saved.ts";
import { Session } from "./session.ts";
import type { SessionEnds } from "./session-setup.ts";
import type { Settings } from "./settings.ts";
import { Warm } from "./warm.ts";

/** What a request to open a session says, whichever it is. */
export interface Wish {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers?: Parameters<typeof mcpConfiguration>[0] | undefined;
}

export interface SessionsEnds extends Omit<SessionEnds, "view" | "client"> {
  readonly saved: Saved;
  readonly settings: Partial<Settings>;
  /** False: no session is started before it is asked for. */
  readonly keepsWarm: boolean;
  readonly textOf: View["textOf"];
}

export class Sessions {
  readonly #client: AgentConnection;
  readonly #ends: SessionsEnds;
  readonly #open = new Map<string, Session>();
  readonly #warm: Warm;
  /** Where a session was opened before; only the first continues what was there. */
  readonly #visited = new Set<string>();

  constructor(client: AgentConnection, ends: SessionsEnds) {
    this.#client = client;
    this.#ends = ends;
    this.#warm = new Warm({
      after: ends.after,
      // Written by `keyOf` from a wish.
      open: (key) => this.#make(JSON.parse(key) as Wish, { kind: "new", id: crypto.randomUUID() }),
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

  async create(wish: Wish): Promise<Session> {
    checkDirectories(wish);
    const key = keyOf(wish);
    const continued = await this.#continued(wish.cwd);
    const waiting = continued === undefined ? this.#warm.take(key) : undefined;
    const id = crypto.randomUUID();
    const choice: SessionChoice = continued === undefined ? { kind: "new", id } : { kind: "resume", id: continued };
    const session = await this.#begin(waiting ?? this.#make(wish, choice));
    if (this.#ends.keepsWarm) this.#warm.prepare(key);
    return session;
  }

  /** Continues a conversation under its id. `isShown`: everything said so far is told first. */
  async reopen(sessionId: string, wish: Wish, isShown: boolean, signal: AbortSignal): Promise<Session> {
    checkDirectories(wish);
    // Two writers would ruin the file.
    await this.close(sessionId, "it is opened again");
    if (!(await this.#ends.saved.has(sessionId))) throw unknownSession(sessionId);
    this.#visited.add(wish.cwd);
    const session = this.#make(wish, { kind: "resume", id: sessionId });
    const begun = this.#begin(session);
    try {
      if (isShown) await this.#replay(session, signal);
      return await begun;
    } catch (cause) {
      // Both may fail; the first reason is told.
      await Promise.allSettled([begun, session.close("it could not be opened")]);
      this.#open.delete(sessionId);
      throw isUnknownConversation(cause) ? unknownSession(sessionId) : cause;
    }
  }

  /** A new conversation that begins as a copy of another. */
  async fork(sessionId: string, wish: Wish): Promise<Session> {
    checkDirectories(wish);
    if (!(await this.#ends.saved.has(sessionId))) throw unknownSession(sessionId);
    const forkTo = crypto.randomUUID();
    return this.#begin(this.#make(wish, { kind: "resume", id: sessionId, forkTo }));
  }

  async close(sessionId: string, reason: string): Promise<void> {
    const session = this.#open.get(sessionId);
    this.#open.delete(sessionId);
    await session?.close(reason);
  }

  async closeAll(reason: string): Promise<void> {
    const ids = [...this.#open.keys()];
    await Promise.all([this.#warm.close(reason), ...ids.map((id) => this.close(id, reason))]);
  }

  /** Starts a session unless it is ready, and makes it known. */
  async #begin(session: Session): Promise<Session> {
    this.#open.set(session.id, session);
    try {
      await session.start();
      return session;
    } catch (cause) {
      this.#open.delete(session.id);
      throw cause;
    }
  }

  #make(wish: Wish, choice: SessionChoice): Session {
    const { cwd, additionalDirectories = [], mcpServers = [] } = wish;
    const { settings } = this.#ends;
    return new Session(
      { ...this.#ends, client: this.#client, view: this.#viewOf(cwd) },
      { choice, cwd, additionalDirectories, mcpServers: mcpConfiguration(mcpServers), settings },
    );
  }

  /** The conversation a directory's first session goes on with, where the user wants that. */
  async #continued(cwd: string): Promise<string | undefined> {
    const isFirst = !this.#visited.has(cwd);
    this.#visited.add(cwd);
    if (!isFirst || this.#ends.settings.autoResume !== true) return undefined;
    const latest = await this.#ends.saved.latest(cwd);
    return latest !== undefined && this.#open.has(latest) ? undefined : latest;
  }

  async #replay(session: Session, signal: AbortSignal): Promise<void> {
    const report = await this.#ends.saved
      .tell(session.id, (event) => session.retell(event), signal)
      .catch((cause: unknown) => Promise.reject(cliFailure(cause)));
    const { unreadableCount = 0, leftOutBytes = 0 } = report ?? {};
    const remarks = [
      ...(unreadableCount > 0 ? [`${unreadableCount} lines of this conversation could not be read.`] : []),
      ...(leftOutBytes > 0 ? [`${leftOutBytes} bytes of long tool results were left out.`] : []),
    ];
    session.retold(remarks.map((text) => notice(this.#viewOf(""), "warning", text)));
  }

  #viewOf(cwd: string): View {
    const { session, _meta } = this.#client.clientCapabilities;
    return {
      cwd,
      showsTerminals: _meta?.["terminal_output"] === true,
      showsNotices: session?.notices != null,
      showsCompaction: session?.compaction != null,
      textOf: this.#ends.textOf,
    };
  }
}

/** What two requests must have in common for one session to serve either. */
function keyOf({ cwd, additionalDirectories = [], mcpServers = [] }: Wish): string {
  return JSON.stringify({ cwd, additionalDirectories, mcpServers });
}

/** Directories that are not there would fail later, and say less. */
function checkDirectories({ cwd, additionalDirectories = [] }: Wish): void {
  const named = [
    ["cwd", cwd],
    ...additionalDirectories.map((path, i) => [`additionalDirectories.${i}`, path]),
  ] as const;
  for (const [name, path] of named) {
    if (statSync(path ?? "", { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new RpcError(errorCodes.invalidParams, `${name} must be a directory that exists`);
    }
  }
}
