/**
 * The scripted agent and the scripted client, made with the official SDK.
 *
 * Works with its stable and its unstable entry point. Implements by hand what our library
 * does automatically: `initialize`, and answering a cancelled turn with its stop reason.
 */
import type * as stable from "@agentclientprotocol/sdk";
import type { InitializeRequest, InitializeResponse } from "../../../lib/index.ts";
import { scriptedAgent, scriptedExtensions } from "./scripted-agent.ts";
import type { Caller } from "./caller.ts";
import type { ScriptedClient } from "./scripted-client.ts";
import type { Running } from "./portable.ts";
import { agentInfo, authMethods, clientCapabilities, clientInfo } from "./samples.ts";
import type { ConnectedClient, AgentCalls } from "./agent-calls.ts";

/** One of the SDK's entries for version 1 of the protocol. */
export type Official = Pick<
  typeof stable,
  "agent" | "client" | "RequestError" | "AGENT_METHODS" | "CLIENT_METHODS" | "ndJsonStream"
>;
export type Stream = stable.Stream;

type Handle = (params: never, running: Running) => unknown;

const agentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  mcpCapabilities: { http: true, sse: true },
  sessionCapabilities: {
    list: {},
    delete: {},
    resume: {},
    close: {},
    additionalDirectories: {},
    fork: {},
    status: {},
    title: {},
  },
  auth: { logout: {} },
} as const;

/** What an agent advertises; specs change it to see how our client reacts. */
export const greeting = {
  protocolVersion: 1,
  agentInfo,
  agentCapabilities,
  authMethods,
} as const satisfies InitializeResponse;

export function officialAgent(
  acp: Official,
  stream: Stream,
  response: InitializeResponse = greeting,
): stable.AgentConnection {
  let audience: ConnectedClient = { clientInfo: undefined, clientCapabilities: {} };
  const app = acp.agent({ name: "scripted-agent" });
  // The handlers read the connection only when they run, and by then it is connected.
  const calls = callsOn(
    acp,
    () => connection.client,
    () => audience,
  );
  const requests = scriptedAgent(calls);
  const extensions = scriptedExtensions(calls);
  const turns = new Map<string, AbortController>();

  app.onRequest("initialize", ({ params }) => {
    // Checked by the SDK's schema, which accepts what ours accepts.
    const request = params as InitializeRequest;
    audience = { clientInfo: request.clientInfo ?? undefined, clientCapabilities: request.clientCapabilities ?? {} };
    return response as stable.InitializeResponse;
  });
  app.onNotification("session/cancel", ({ params }) => turns.get(params.sessionId)?.abort());
  register(app, acp.AGENT_METHODS, {
    ...requests,
    "session/prompt": async (params: Parameters<(typeof requests)["session/prompt"]>[0], { signal }: Running) => {
      const turn = new AbortController();
      turns.set(params.sessionId, turn);
      try {
        return await requests["session/prompt"](params, { signal: AbortSignal.any([signal, turn.signal]) });
      } catch (cause) {
        if (turn.signal.aborted) return { stopReason: "cancelled" };
        throw cause;
      }
    },
    "session/close": (params: { readonly sessionId: string }, running: Running) => {
      turns.get(params.sessionId)?.abort();
      return requests["session/close"](params, running);
    },
  });
  for (const [method, handle] of Object.entries(extensions.requests)) {
    app.onRequest(method, asIs, ({ params, signal }) => handle(params, { signal }));
  }
  for (const [method, handle] of Object.entries(extensions.notifications)) {
    app.onNotification(method, asIs, ({ params }) => void handle(params));
  }
  const connection = app.connect(stream);
  return connection;
}

export interface OfficialClient {
  readonly connection: stable.ClientConnection;
  /** Sends `initialize` and gives the caller of a connected client. */
  readonly initialize: (hangUp: () => Promise<void>) => Promise<Caller>;
}

export function officialClient(acp: Official, stream: Stream, scripted: ScriptedClient): OfficialClient {
  const app = acp.client({ name: "scripted-client" });
  register(app, acp.CLIENT_METHODS, scripted.requests(failOf(acp)));
  app.onNotification("session/update", ({ params }) => scripted.updates(params.sessionId).add(params.update));
  app.onNotification("elicitation/complete", ({ method, params }) => scripted.notifications.add({ method, params }));
  for (const [method, handle] of Object.entries(scripted.extensionRequests)) {
    app.onRequest(method, asIs, ({ params, signal }) => handle(params, { signal }));
  }
  for (const method of scripted.extensionNotifications) {
    app.onNotification(method, asIs, ({ params }) => scripted.notifications.add({ method, params }));
  }
  const connection = app.connect(tapped(stream, scripted));
  const { agent } = connection;
  const initialize = async (hangUp: () => Promise<void>): Promise<Caller> => {
    const close = async (): Promise<void> => {
      connection.close();
      await hangUp();
    };
    try {
      const request = { protocolVersion: 1, clientInfo, clientCapabilities };
      return {
        agent: await agent.request<InitializeResponse>("initialize", request),
        call: (method, params, signal) => agent.request(method as string, params, cancelledBy(signal)),
        ask: (method, params, signal) => agent.request(method, params, cancelledBy(signal)),
        tell: (method, params) => agent.notify(method, params),
        cancel: (sessionId) => {
          void agent.notify("session/cancel", { sessionId });
          scripted.dismiss(sessionId);
        },
        close,
      };
    } catch (cause) {
      await close();
      throw cause;
    }
  };
  return { connection, initialize };
}

interface App {
  onRequest(method: string, handle: (context: { readonly params: never } & Running) => unknown): unknown;
}

/** Registers every handler that the entry point has a method for: the stable one lacks the unstable methods. */
function register(app: unknown, methods: Readonly<Record<string, string>>, handlers: Readonly<Record<string, Handle>>) {
  const known = new Set(Object.values(methods));
  for (const [method, handle] of Object.entries(handlers)) {
    // The SDK types each method separately; here the names come from its list.
    if (known.has(method)) (app as App).onRequest(method, (context) => handle(context.params, context));
  }
}

function callsOn(acp: Official, client: () => stable.AgentContext, audience: () => ConnectedClient): AgentCalls {
  return {
    call: (method, params, signal) => client().request(method as string, params, cancelledBy(signal)),
    ask: (method, params, signal) => client().request(method, params, cancelledBy(signal)),
    tell: (method, params) => client().notify(method, params),
    update: (sessionId, update) => client().notify<unknown>("session/update", { sessionId, update }),
    fail: failOf(acp),
    client: audience,
  };
}

function failOf(acp: Official): AgentCalls["fail"] {
  return (code, message, data) => new acp.RequestError(code, message, data);
}

function cancelledBy(signal: AbortSignal | undefined): stable.SendRequestOptions {
  return signal === undefined ? {} : { cancellationSignal: signal };
}

function asIs(params: unknown): unknown {
  return params;
}

/** The stream, with a record of the received messages. */
function tapped({ readable, writable }: Stream, scripted: ScriptedClient): Stream {
  const tap = new TransformStream<stable.AnyMessage, stable.AnyMessage>({
    transform(message, controller) {
      scripted.wire.push(JSON.stringify(message));
      controller.enqueue(message);
    },
  });
  return { readable: readable.pipeThrough(tap), writable };
}
