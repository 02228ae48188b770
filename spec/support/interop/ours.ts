/**
 * The scripted agent and the scripted client, made with this library.
 */
import { agent, type AgentConnection, client, type ExtensionName, type Link, RpcError } from "../../../lib/index.ts";
import { scriptedAgent, scriptedExtensions } from "./scripted-agent.ts";
import type { Caller } from "./caller.ts";
import type { ScriptedClient } from "./scripted-client.ts";
import type { Fail } from "./portable.ts";
import { agentInfo, authMethods, clientCapabilities, clientInfo } from "./samples.ts";
import type { AgentCalls } from "./agent-calls.ts";

const fail: Fail = (code, message, data) => new RpcError(code, message, data);

export function ourAgent(link: Link): AgentConnection {
  return agent(link, {
    info: agentInfo,
    authMethods: () => authMethods,
    prompt: { image: true, audio: true, embeddedContext: true },
    mcp: { http: true, sse: true },
    additionalDirectories: true,
    handlers: (connection) => scriptedAgent(callsOn(connection)),
    extensions: (connection) => {
      const { requests, notifications } = scriptedExtensions(callsOn(connection));
      return { ...requests, ...notifications };
    },
  });
}

export async function ourClient(link: Link, scripted: ScriptedClient): Promise<Caller> {
  const tell = (method: string) => (params: unknown) => scripted.notifications.add({ method, params });
  const connection = await client(tapped(link, scripted), {
    info: clientInfo,
    session: clientCapabilities.session,
    auth: clientCapabilities.auth,
    handlers: () => ({
      ...scripted.requests(fail),
      "session/update": ({ sessionId, update }) => scripted.updates(sessionId).add(update),
      "elicitation/complete": tell("elicitation/complete"),
    }),
    extensions: () => ({
      ...scripted.extensionRequests,
      ...Object.fromEntries(scripted.extensionNotifications.map((method) => [method, tell(method)])),
    }),
  });
  return {
    agent: connection,
    call: (method, params, signal) => connection.call(method, params, { signal }),
    // Only the type requires an underscore; so a spec can send what `call` would refuse.
    ask: (method, params, signal) => connection.callExtension(method as ExtensionName, params, { signal }),
    tell: (method, params) => connection.notifyExtension(method as ExtensionName, params),
    cancel: (sessionId) => connection.cancel(sessionId),
    close: async () => {
      connection.close("the spec is over");
      await connection.settled;
    },
  };
}

function callsOn(connection: AgentConnection): AgentCalls {
  return {
    call: (method, params, signal) => connection.call(method, params, { signal }),
    ask: (method, params, signal) => connection.callExtension(method as ExtensionName, params, { signal }),
    tell: (method, params) => connection.notifyExtension(method as ExtensionName, params),
    update: (sessionId, update) => connection.update(sessionId, update),
    fail,
    client: () => ({ clientInfo: connection.clientInfo, clientCapabilities: connection.clientCapabilities }),
  };
}

/** The link, with a record of the received messages. */
function tapped(link: Link, scripted: ScriptedClient): Link {
  return {
    ...link,
    open: (callbacks) =>
      link.open({
        ...callbacks,
        onLine: (line) => {
          scripted.wire.push(line);
          callbacks.onLine(line);
        },
      }),
  };
}
