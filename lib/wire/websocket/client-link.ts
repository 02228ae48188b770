/**
 * Connects to a WebSocket server and makes a link of it.
 *
 * Uses Node's HTTP client, so it works where there is no global WebSocket and can send
 * headers. Lines may be sent at once; they wait for the handshake. Redirects are not
 * followed, because the headers may carry a token. A failure closes the link.
 */
import { randomFillSync } from "node:crypto";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { realTimer } from "../clock.ts";
import { codeOf } from "../error-text.ts";
import type { MaskSource } from "./frame.ts";
import { faultOfAcceptance, newKey, requestHeaders } from "./handshake.ts";
import { WebSocket, type WebSocketLink, type WebSocketOptions } from "./websocket.ts";

/** How long the handshake may take. */
const defaultConnectMs = 30_000;

export interface WebSocketClientOptions extends WebSocketOptions {
  /** Headers of the request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly protocols?: readonly string[] | undefined;
  readonly connectMs?: number | undefined;
  /** The server's response to the handshake, whether it accepts or refuses. */
  readonly onResponse?: ((response: Pick<IncomingMessage, "statusCode" | "headers">) => void) | undefined;
}

/** `url` begins with `ws:`, `wss:`, `http:` or `https:`. */
export function webSocketLink(url: string | URL, options: WebSocketClientOptions = {}): WebSocketLink {
  const target = new URL(url);
  const isSecure = target.protocol === "wss:" || target.protocol === "https:";
  if (!isSecure && target.protocol !== "ws:" && target.protocol !== "http:")
    throw new TypeError("the address of a WebSocket must begin with ws: or wss:");
  const { protocols = [], connectMs = defaultConnectMs, after = realTimer } = options;
  const key = newKey();
  const socketLink = new WebSocket(options, maskSource());
  target.protocol = isSecure ? "https:" : "http:";
  target.hash = "";
  const request = (isSecure ? httpsRequest : httpRequest)(target, {
    headers: { ...options.headers, ...requestHeaders(key, protocols) },
    // A separate connection, which never returns to the pool of the HTTP agent.
    agent: false,
  });
  const cancelTimeout = after(connectMs, () => fail(`the server did not answer within ${connectMs / 1000} s`));
  request.on("upgrade", (response: IncomingMessage, socket: Duplex, head: Buffer) => {
    cancelTimeout();
    options.onResponse?.(response);
    const fault = faultOfAcceptance(response.headers, key, protocols);
    if (fault === undefined) return socketLink.start(socket, head);
    socket.destroy();
    socketLink.fail(fault);
  });
  request.on("response", (response) => {
    options.onResponse?.(response);
    fail(`the server answered ${response.statusCode} instead of opening a WebSocket`);
  });
  request.on("error", (error) => fail(`the server cannot be reached: ${codeOf(error)}`));
  request.end();
  return {
    ...linkOf(socketLink),
    close: (reason) => closeWith(() => socketLink.close(reason)),
    closeWith: (status) => closeWith(() => socketLink.closeWith(status)),
  };

  function closeWith(close: () => void): void {
    close();
    // Before the handshake the link is closed at once, and the request is of no use.
    if (socketLink.closeStatus() !== undefined) fail("closed");
  }

  function fail(reason: string): void {
    cancelTimeout();
    request.destroy();
    socketLink.fail(reason);
  }
}

function linkOf(socket: WebSocket): WebSocketLink {
  const { open, send, pause, resume, close, closeWith, ping, closeStatus } = socket;
  return { open, send, pause, resume, close, closeWith, ping, closeStatus };
}

/** Masking keys from a pool of random bytes: one call of the system for 256 frames. */
function maskSource(): MaskSource {
  const pool = Buffer.alloc(1024);
  let at = pool.length;
  return () => {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    at += 4;
    return pool.subarray(at - 4, at);
  };
}
