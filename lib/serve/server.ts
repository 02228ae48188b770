/**
 * HTTP server for agent sessions: access checks, routing, timeouts and responses.
 *
 * Headers are checked before the body is read. Every response is the reply of a route,
 * an event stream, or an `HttpError`. A bug is passed to `onBug`; the client gets no
 * details of it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Link, memoryPair, type Schedule, realTimer, type WebSocketOptions } from "../wire/index.ts";
import { defaultMaxBodyBytes, hasBody } from "./json-body.ts";
import type { OnAcpConnection } from "./acp/acp-connection.ts";
import { AcpHttpConnections } from "./acp/acp-http.ts";
import { AcpWebSockets } from "./acp/acp-websocket.ts";
import { ConnectionRegistry } from "./connections.ts";
import { checkSingleHeaders, accessControl, type AccessControlOptions, inUrl, urlOf } from "./access-control.ts";
import { type UpstreamSource, Hub, type HubOptions } from "../hub/index.ts";
import { HeldBytes } from "./held-bytes.ts";
import { HttpError } from "./http-error.ts";
import { Previews } from "./previews.ts";
import { type Counters, metricsText } from "./metrics.ts";
import { type Reply, router, type ServerFacts } from "./routes.ts";
import { Roots } from "./roots.ts";
import { ServedSessions, type SessionsOptions } from "./sessions.ts";
import { Tickets } from "./acp/tickets.ts";

export interface ServerOptions
  extends
    AccessControlOptions,
    ServerFacts,
    Omit<SessionsOptions, "now" | "onBug" | "maxSessions" | "hub" | "directories">,
    Pick<HubOptions, "keepMs" | "maxClients" | "maxLogChars" | "maxTotalLogChars"> {
  /** Starts the built-in agent on the given end of a link. */
  readonly startAgent: (link: Link) => { readonly stop: (reason: string) => Promise<void> };
  /** The name and title of the built-in agent. */
  readonly agentName?: string | undefined;
  /** Further counters for `/metrics`, such as the starts of CLIs. */
  readonly counters?: (() => Counters) | undefined;
  /** Other agents that sessions can be opened with. */
  readonly agents?: readonly UpstreamSource[] | undefined;
  /** See `RouteOptions.isStrict`. */
  readonly isStrict?: boolean | undefined;
  /** 0 selects a free port. */
  readonly port: number;
  readonly maxSessions?: number | undefined;
  /** Open connections, of all clients together. */
  readonly maxConnections?: number | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly headerTimeoutMs?: number | undefined;
  readonly maxHeldBytes?: number | undefined;
  /** Serves the ACP connections of clients. Default: they share the sessions of the server. */
  readonly onConnection?: OnAcpConnection | undefined;
  /** Limits and timers of WebSockets. */
  readonly webSocket?: WebSocketOptions | undefined;
  readonly now?: (() => number) | undefined;
  readonly after?: Schedule | undefined;
  readonly onBug?: ((doing: string, cause: unknown) => void) | undefined;
}

export interface RunningServer {
  /** Does not contain the token. */
  readonly url: string;
  /** The sessions, for clients that connect otherwise than over HTTP. */
  readonly hub: Hub;
  /** Ends every stream and session, and the processes they started. */
  readonly close: (reason: string) => Promise<void>;
}

const defaultMaxSessions = 16;
/** A connection that has not sent complete request headers by then is closed. */
const defaultHeaderTimeoutMs = 10_000;
/** How often Node checks the header and request timeouts. */
const timeoutCheckMs = 1000;
/** A connection that has not sent a complete request by then is closed. */
const requestTimeoutMs = 60_000;
/** A response is aborted when its client has read nothing for this long. */
const responseTimeoutMs = 60_000;
/** How long the rest of a body is discarded after the request was answered. */
const lingerMs = 500;

const commonHeaders = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

const corsHeaders = {
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers": "authorization, content-type, last-event-id, acp-connection-id, acp-session-id",
  "access-control-max-age": "600",
} as const;

/** Resolves once the server listens; rejects when it cannot listen. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port, onBug = () => {}, after = realTimer, now = Date.now } = options;
  const access = accessControl(options);
  const { admit, checkToken } = access;
  const tickets = new Tickets(after);
  const directories = new Roots(options.roots);
  const hub = new Hub({
    ...options,
    sources: [builtIn(options), ...(options.agents ?? [])],
    directories,
    maxSessions: options.maxSessions ?? defaultMaxSessions,
    now,
    after,
    onBug,
  });
  const { onConnection = (link, { role, drop }) => hub.connect(link, { role, drop }) } = options;
  const sessions = new ServedSessions({
    ...options,
    hub,
    directories,
    maxSessions: options.maxSessions ?? defaultMaxSessions,
    now,
    onBug,
  });
  const held = new HeldBytes(options.maxHeldBytes);
  const maxBodyBytes = options.maxBodyBytes ?? defaultMaxBodyBytes;
  const metrics = (): string => metricsText({ counts: hub.counts, heldBytes: held.bytes, more: options.counters?.() });
  const acp = new AcpHttpConnections({ onConnection, after, held, maxBodyBytes });
  const previews = new Previews(now);
  const { isStrict } = options;
  const shared = { sessions, hub, metrics, tickets, acp, after, held, maxBodyBytes, previews };
  const route = router({ ...shared, facts: options, isStrict });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<Reply | undefined> {
    const { headers, method = "", url: target = "" } = request;
    checkSingleHeaders(request.rawHeaders);
    const origin = admit(headers);
    if (origin !== undefined) {
      response.setHeader("access-control-allow-origin", origin);
      response.setHeader("vary", "origin");
      if (method === "OPTIONS") return { status: 204, headers: corsHeaders };
    }
    const url = urlOf(target);
    const { run, isPublic } = route(method, url.pathname);
    const role = isPublic ? undefined : checkToken(headers);
    if (role !== undefined) connections.authenticate(request.socket);
    return run({ request, response, url, role });
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value);
    // A client that disconnects during the response is no bug.
    response.on("error", () => {});
    serve(request, response)
      .catch((cause: unknown) => errorReply(cause, request))
      .then((reply) => {
        if (reply !== undefined) send(request, response, reply, held);
      })
      .catch((cause: unknown) => onBug("http", cause));
  }

  const server = createServer(
    {
      headersTimeout: options.headerTimeoutMs ?? defaultHeaderTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
      // Overrides NODE_OPTIONS: a lenient parser accepts requests whose length is ambiguous.
      insecureHTTPParser: false,
    },
    handle,
  );
  // By default Node drops what comes after the first 2,000 headers, where a second Host or an Origin could hide.
  server.maxHeadersCount = 0;
  // Without a listener Node sends `100 Continue` before the request has been checked.
  server.on("checkContinue", handle);
  const connections = new ConnectionRegistry(server, options.maxConnections);
  const webSockets = new AcpWebSockets({
    access,
    tickets,
    connections: () => connections,
    onConnection,
    onBug,
    webSocket: options.webSocket,
  });
  server.on("upgrade", (request, socket, head) => webSockets.upgrade({ request, socket, head }));

  function errorReply(cause: unknown, { socket }: IncomingMessage): Reply {
    const error = HttpError.of(cause);
    if (error === undefined) onBug("http", cause);
    const { status, headers, code, message } = error ?? new HttpError("bug", "something went wrong in bowline");
    const isClosing = !connections.isAuthenticated(socket);
    const closing = isClosing ? { connection: "close" } : undefined;
    return { status, headers: { ...headers, ...closing }, body: { type: "error", message, code } };
  }

  await sessions.connect();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, resolve);
    });
  } catch (cause) {
    await sessions.closeAll("the server could not listen");
    throw cause;
  }
  // A server that listens on a TCP port has an AddressInfo.
  const address = server.address() as AddressInfo;
  return {
    hub,
    url: `http://${host === "0.0.0.0" || host === "::" ? "localhost" : inUrl(host)}:${address.port}/`,
    close: async (reason) => {
      const closed = new Promise((resolve) => server.close(resolve));
      tickets.close();
      acp.closeAll(reason);
      await Promise.all([sessions.closeAll(reason), webSockets.close(reason)]);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The agent of this process. */
function builtIn({ startAgent, agentName = "bowline" }: ServerOptions): UpstreamSource {
  return {
    name: agentName,
    title: agentName,
    start: () => {
      const [agentEnd, hubEnd] = memoryPair();
      return { link: hubEnd, stop: startAgent(agentEnd).stop };
    },
  };
}

/**
 * Sends a reply. When the request's body has not arrived whole, the connection is closed afterwards
 * instead of waiting for the rest. The response is complete for the client at once; the socket is
 * kept for `lingerMs` to discard what the client still sends, since closing a socket with unread
 * bytes resets the connection and can take the response with it.
 */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Reply,
  held: HeldBytes,
): void {
  if (response.headersSent) return void response.destroy();
  const isRaw = typeof body === "string" || Buffer.isBuffer(body);
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(body === undefined ? "" : isRaw ? body : `${JSON.stringify(body)}\n`);
  const isUnread = hasBody(request) && !request.complete;
  response.writeHead(status, {
    ...(body !== undefined && !isRaw && { "content-type": "application/json" }),
    ...headers,
    ...(body !== undefined && { "content-length": bytes.length }),
    ...(isUnread && { connection: "close" }),
  });
  response.once(
    "close",
    held.hold(bytes, () => response.destroy()),
  );
  response.setTimeout(responseTimeoutMs, () => response.destroy());
  if (!isUnread) return void response.end(bytes);
  response.flushHeaders();
  if (bytes.length > 0) response.write(bytes);
  const timer = setTimeout(() => response.end(), lingerMs);
  request.once("end", () => response.end());
  response.once("close", () => clearTimeout(timer));
  request.resume();
}
