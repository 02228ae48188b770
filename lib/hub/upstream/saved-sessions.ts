/**
 * The saved conversations of all agents of a hub: which exist, and whose they are.
 *
 * Conversations from outside the allowed directories are neither listed nor found; they
 * get the same error as unknown ones.
 */
import { ListSessionsResponse, type SessionInfo } from "../../acp/index.ts";
import { errorCodes, readResult, RpcError } from "../../rpc/index.ts";
import { isRecord } from "../../schema/index.ts";
import { withBowlineMeta } from "../bowline-meta.ts";
import type { ClientProfile } from "../client/client-profile.ts";
import type { DirectoryPolicy } from "../hub.ts";
import type { UpstreamSource, Upstream } from "./upstream.ts";
import type { UpstreamPool } from "./upstream-pool.ts";

/** An agent, and the profile of the client for which it is used. */
export interface Saved {
  readonly source: UpstreamSource;
  readonly profile: ClientProfile;
}

export interface SavedSessionsOptions {
  readonly sources: readonly UpstreamSource[];
  readonly pool: UpstreamPool;
  readonly directories: DirectoryPolicy | undefined;
}

export interface SavedPage {
  readonly sessions: readonly SessionInfo[];
  readonly nextCursor: string | undefined;
}

/** Pages of an agent's list that are searched for a conversation. */
const maxPages = 20;

export class SavedSessions {
  readonly #options: SavedSessionsOptions;

  constructor(options: SavedSessionsOptions) {
    this.#options = options;
  }

  /** A page of the list. The agents follow one another; the cursor names the agent, and the place in its list. */
  async page(profile: ClientProfile, cwd: string | undefined, cursor: string | undefined): Promise<SavedPage> {
    const { sources } = this.#options;
    const [, digits = "0", rest = ""] = /^(\d{1,3}):(.*)$/s.exec(cursor ?? "0:") ?? [];
    const index = Number(digits);
    const source = sources[index];
    if (source === undefined) throw new RpcError(errorCodes.invalidParams, "cursor must be one that was given");
    const isLast = index === sources.length - 1;
    const following = isLast ? undefined : `${index + 1}:`;
    try {
      const page = await this.#list(source, profile, cwd, rest === "" ? undefined : rest);
      const named = (one: SessionInfo): SessionInfo => ({
        ...one,
        _meta: withBowlineMeta(one._meta, { agent: source.name }),
      });
      const sessions = sources.length === 1 ? page.sessions : page.sessions.map(named);
      return { sessions, nextCursor: page.nextCursor == null ? following : `${index}:${page.nextCursor}` };
    } catch (cause) {
      // One agent that cannot be started does not hide the conversations of the others.
      if (index === 0 && isLast) throw cause;
      return { sessions: [], nextCursor: following };
    }
  }

  /** The agent that has this conversation. Throws the error for an unknown session when none has it. */
  async sourceOf(sessionId: string, profile: ClientProfile, name: string | undefined): Promise<UpstreamSource> {
    for (const source of this.#options.sources) {
      if (name !== undefined && source.name !== name) continue;
      const has = await this.#options.pool
        .use(source, profile, (upstream) => this.#has(upstream, sessionId))
        .catch((cause: unknown) => {
          if (this.#options.sources.length === 1) throw cause;
          return false;
        });
      if (has) return source;
    }
    throw unknownSession(sessionId);
  }

  async #has(upstream: Upstream, sessionId: string): Promise<boolean> {
    const { agentCapabilities = {} } = upstream.response;
    if (agentCapabilities.loadSession !== true && agentCapabilities.sessionCapabilities?.resume == null) return false;
    const { directories } = this.#options;
    const { status, list } = agentCapabilities.sessionCapabilities ?? {};
    if (status != null) {
      const answer = await upstream.call("session/status", { sessionId }).catch((cause: unknown) => {
        if (cause instanceof RpcError && cause.code === errorCodes.resourceNotFound) return undefined;
        throw cause;
      });
      if (!isRecord(answer)) return false;
      const cwd = isRecord(answer["_meta"]) ? answer["_meta"]["cwd"] : undefined;
      return directories === undefined || (typeof cwd === "string" && (await directories.isWithin(cwd)));
    }
    // Without a policy the agent itself says that it does not know a conversation.
    if (directories === undefined && this.#options.sources.length === 1) return true;
    return list != null && this.#isListed(upstream, sessionId);
  }

  async #isListed(upstream: Upstream, sessionId: string): Promise<boolean> {
    let cursor: string | undefined;
    for (let i = 0; i < maxPages; i++) {
      const page = await listOf(upstream, undefined, cursor);
      const found = page.sessions.find((one) => one.sessionId === sessionId);
      if (found !== undefined) return (await this.#options.directories?.isWithin(found.cwd)) ?? true;
      if (page.nextCursor == null) return false;
      cursor = page.nextCursor;
    }
    return false;
  }

  #list(
    source: UpstreamSource,
    profile: ClientProfile,
    cwd: string | undefined,
    cursor: string | undefined,
  ): Promise<ListSessionsResponse> {
    return this.#options.pool.use(source, profile, async (upstream) => {
      if (upstream.response.agentCapabilities?.sessionCapabilities?.list == null) return { sessions: [] };
      const page = await listOf(upstream, cwd, cursor);
      const { directories } = this.#options;
      if (directories === undefined) return page;
      const isWithin = await Promise.all(page.sessions.map((one) => directories.isWithin(one.cwd)));
      return { ...page, sessions: page.sessions.filter((_one, i) => isWithin[i] === true) };
    });
  }
}

export function unknownSession(sessionId: string): RpcError {
  return new RpcError(errorCodes.resourceNotFound, "Session not found", { sessionId });
}

async function listOf(
  upstream: Upstream,
  cwd: string | undefined,
  cursor: string | undefined,
): Promise<ListSessionsResponse> {
  const params = { ...(cwd !== undefined && { cwd }), ...(cursor !== undefined && { cursor }) };
  return readResult("session/list", ListSessionsResponse, await upstream.call("session/list", params));
}
