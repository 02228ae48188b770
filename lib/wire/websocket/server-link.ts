/**
 * Creates a link from an upgrade request that a Node HTTP server has received.
 *
 * Access is the caller's to check before. A request that is no WebSocket handshake is
 * refused with an HTTP response, and its socket is closed.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { acceptance, readHandshake, refusalText } from "./handshake.ts";
import { WebSocket, type WebSocketLink, type WebSocketOptions } from "./websocket.ts";

/** The parameters of a server's `upgrade` event. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Uint8Array;
}

export interface WebSocketServerOptions extends WebSocketOptions {
  /** Headers of the 101 response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The subprotocol to select; it must be one that the client offers. */
  readonly protocol?: string | undefined;
}

/** Accepts a WebSocket. Returns undefined when the request was refused. */
export function webSocketServerLink(
  { request, socket, head }: UpgradeRequest,
  options: WebSocketServerOptions = {},
): WebSocketLink | undefined {
  const handshake = readHandshake(request);
  socket.on("error", () => {});
  if ("status" in handshake) {
    socket.end(refusalText(handshake));
    return undefined;
  }
  const protocol = handshake.protocols.find((one) => one === options.protocol);
  const link = new WebSocket(options);
  socket.write(acceptance(handshake, protocol, options.headers ?? {}));
  link.start(socket, head);
  return link;
}
