/**
 * Ours: the scripted agent and the scripted client, made with this library.
 */
import { agent, type AgentConnection, client, type ExtensionName, type Link, RpcError } from "../../lib/index.ts";
import { actor, actorExtensions } from "./actor.ts";
import type { Caller } from "./caller.ts";
import type { Desk } from "./desk.ts";
import type { Fail } from "./portable.ts";
import { agentInfo, authMethods, clientCapabilities, clientInfo } from "./samples.ts";
import type { Stage } from "./stage.ts";

const fail: Fail = (code, message, data) => new RpcError(code, message, data);

export function ourAgent(link: Link): AgentConnection {
  return agent(link, {
    info: agentInfo,
    authMethods: () => authMethods,
    prompt: { image: true, audio: true, embeddedContext: true },
    mcp: { http: true, sse: true },
    additionalDirectories: true,
    handlers: (connection) => actor(stageOn(connection)),
    extensions: (connection) => {
      const { requests, notifications } = actorExtensions(stageOn(connection));
      return { ...requests, ...notifications };
    },
  });
}

export async function ourClient(link: Link, desk: Desk): Promise<Caller> {
  const tell = (method: string) => (params: unknown) => desk.told.add({ method, params });
  const connection = await client(tapped(link, desk), {
    info: clientInfo,
    session: clientCapabilities.session,
    auth: clientCapabilities.auth,
    handlers: () => ({
      ...desk.requests(fail),
      "session/update": ({ sessionId, update }) => desk.updates(sessionId).add(update),
      "elicitation/complete": tell("elicitation/complete"),
    }),
    extensions: () => ({
      ...desk.extensionRequests,
      ...Object.fromEntries(desk.extensionNotifications.map((method) => [method, tell(method)])),
    }),
  });
  return {
    agent: connection,
    call: (method, params, signal) => connection.call(method, params, { signal }),
    // Only the type asks for an underscore; this is how a spec says what `call` would refuse.
    ask: (method, params, signal) => connection.callExtension(method as ExtensionName, params, { signal }),
    tell: (method, params) => connection.notifyExtension(method as ExtensionName, params),
    cancel: (sessionId) => connection.cancel(sessionId),
    close: async () => {
      connection.close("the spec is over");
      await connection.settled;
    },
  };
}

function stageOn(connection: AgentConnection): Stage {
  return {
    call: (method, params, signal) => connection.call(method, params, { signal }),
    ask: (method, params, signal) => connection.callExtension(method as ExtensionName, params, { signal }),
    tell: (method, params) => connection.notifyExtension(method as ExtensionName, params),
    update: (sessionId, update) => connection.update(sessionId, update),
    fail,
    client: () => ({ clientInfo: connection.clientInfo, clientCapabilities: connection.clientCapabilities }),
  };
}

/** The link, with what comes in written down. */
function tapped(link: Link, desk: Desk): Link {
  return {
    ...link,
    open: (ends) =>
      link.open({
        ...ends,
        onLine: (line) => {
          desk.wire.push(line);
          ends.onLine(line);
        },
      }),
  };
}
