/**
 * The saved sessions of an agent, over ACP: `session/list`, `session/load`, `session/delete`.
 *
 * Our own agent runs in this process with either engine; any other agent is started as a
 * child process. Loading a session starts what the agent starts for it, and sends no prompt.
 */
import { createAgent, type Route } from "../../agent/index.ts";
import { client, type ClientConnection, type SessionInfo, type SessionUpdate } from "../../acp/index.ts";
import { childLink, type Link, memoryPair } from "../../wire/index.ts";
import { version } from "../../version.ts";
import { CommandFailure } from "../command.ts";

export interface SavedConversations {
  /** Newest first, as the agent lists them; at most `maxSessions`. */
  readonly list: (cwd: string | undefined) => Promise<readonly SessionInfo[]>;
  readonly load: (session: SessionInfo) => Promise<readonly SessionUpdate[]>;
  readonly remove: (sessionId: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export const maxSessions = 10_000;
/** Pages of a list that are asked for: an agent may always name another, with nothing on it. */
const maxPages = 1000;
/** Updates of one session that are kept. */
const maxUpdates = 1_000_000;

export async function savedSessions(
  program: readonly string[] | undefined,
  route: Route,
  env: NodeJS.ProcessEnv,
): Promise<SavedConversations> {
  const { link, stop } = program === undefined ? ownAgent(route, env) : otherAgent(program, env);
  return connectedSessions(link, stop);
}

/** The sessions of the agent on a link. */
export async function connectedSessions(link: Link, stop: () => Promise<unknown>): Promise<SavedConversations> {
  let updates: SessionUpdate[] = [];
  const agent: ClientConnection = await client(link, {
    info: { name: "bowline sessions", version },
    handlers: () => ({
      "session/update": ({ update }) => void (updates.length < maxUpdates && updates.push(update)),
      "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
    }),
  }).catch((cause: unknown) => fail("the agent did not answer initialize", cause));
  return {
    async list(cwd) {
      const sessions: SessionInfo[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await agent
          .call("session/list", { ...(cwd !== undefined && { cwd }), ...(cursor !== undefined && { cursor }) })
          .catch((cause: unknown) => fail("the agent lists no sessions", cause));
        for (const session of page.sessions.slice(0, maxSessions - sessions.length)) sessions.push(session);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined && sessions.length < maxSessions && ++pages < maxPages);
      return sessions;
    },
    async load({ sessionId, cwd }) {
      updates = [];
      await agent
        .call("session/load", { sessionId, cwd, mcpServers: [] })
        .catch((cause: unknown) => fail("the session cannot be loaded", cause));
      return updates;
    },
    remove: async (sessionId) => {
      await agent
        .call("session/delete", { sessionId })
        .catch((cause: unknown) => fail("the session cannot be deleted", cause));
    },
    async close() {
      agent.close("done");
      await agent.closed;
      await stop();
    },
  };
}

function ownAgent(
  route: Route,
  env: NodeJS.ProcessEnv,
): { readonly link: Link; readonly stop: () => Promise<unknown> } {
  const [agentEnd, link] = memoryPair();
  const { stop } = createAgent(agentEnd, { route, env, prewarms: false });
  return { link, stop: () => stop("the command is over") };
}

function otherAgent(
  [command = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): {
  readonly link: Link;
  readonly stop: () => Promise<unknown>;
} {
  const link = childLink(command, args, { env });
  if (link.pid === undefined) throw new CommandFailure(`could not start ${command}: is it installed and on PATH?`);
  return { link, stop: () => Promise.resolve() };
}

function fail(what: string, cause: unknown): never {
  throw new CommandFailure(`${what}: ${cause instanceof Error ? cause.message : "it failed"}`, { cause });
}
