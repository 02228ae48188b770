/**
 * The opening handshake of WebSockets (RFC 6455, section 4), as functions of headers.
 *
 * Extensions are never offered and never accepted, so permessage-deflate is declined.
 */
import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** A fixed value of the RFC: a server that answers with its digest has understood the request as a WebSocket's. */
const acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** A request that cannot be upgraded: the status and the headers of the response. */
export interface HandshakeRefusal {
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ClientHandshake {
  readonly key: string;
  /** The subprotocols that the client offers, in its order. */
  readonly protocols: readonly string[];
}

/** Reads the headers of an upgrade request. */
export function readHandshake({
  method,
  httpVersion,
  headers,
}: Pick<IncomingMessage, "method" | "httpVersion" | "headers">): ClientHandshake | HandshakeRefusal {
  if (method !== "GET") return refusal(405, "a WebSocket is opened with GET", { allow: "GET" });
  if (!isUpgrade(headers)) return refusal(426, "the request must upgrade to websocket", upgradeHeaders);
  if (httpVersion !== "1.1") return refusal(400, "a WebSocket needs HTTP/1.1");
  if (headers["sec-websocket-version"] !== "13")
    return refusal(426, "the version of the WebSocket must be 13", {
      ...upgradeHeaders,
      "sec-websocket-version": "13",
    });
  const key = headers["sec-websocket-key"] ?? "";
  if (!/^[A-Za-z0-9+/]{22}==$/.test(key)) return refusal(400, "sec-websocket-key must be 16 bytes in base64");
  return { key, protocols: tokensOf(headers["sec-websocket-protocol"]) };
}

/** Whether the headers ask for an upgrade to WebSocket. */
function isUpgrade({ upgrade, connection }: IncomingHttpHeaders): boolean {
  return tokensOf(upgrade).some(isWebSocket) && tokensOf(connection).some((token) => token.toLowerCase() === "upgrade");
}

/** The text of the 101 response, without the empty line that ends it. */
export function acceptance(
  { key }: ClientHandshake,
  protocol: string | undefined,
  headers: Readonly<Record<string, string>>,
): string {
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${acceptOf(key)}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

export function refusalText({ status, reason, headers }: HandshakeRefusal): string {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const type = "content-type: text/plain\r\n";
  return `HTTP/1.1 ${status} Refused\r\n${head.join("")}${type}connection: close\r\ncontent-length: ${Buffer.byteLength(reason)}\r\n\r\n${reason}`;
}

export function newKey(): string {
  return randomBytes(16).toString("base64");
}

/** The headers with which a client asks for a WebSocket. */
export function requestHeaders(key: string, protocols: readonly string[]): Record<string, string> {
  return {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": key,
    ...(protocols.length > 0 && { "sec-websocket-protocol": protocols.join(", ") }),
  };
}

/** Checks a server's 101 response. Returns what is wrong with it; undefined when it is right. */
export function faultOfAcceptance(
  headers: IncomingHttpHeaders,
  key: string,
  protocols: readonly string[],
): string | undefined {
  const chosen = headers["sec-websocket-protocol"];
  if (!isUpgrade(headers)) return "the server did not upgrade to websocket";
  if (headers["sec-websocket-accept"] !== acceptOf(key)) return "the server answered another handshake";
  if (headers["sec-websocket-extensions"] !== undefined) return "the server chose an extension that was not offered";
  if (chosen !== undefined && !protocols.includes(chosen)) return "the server chose a protocol that was not offered";
  return undefined;
}

const upgradeHeaders = { upgrade: "websocket", connection: "Upgrade" } as const;

function refusal(status: number, reason: string, headers: Readonly<Record<string, string>> = {}): HandshakeRefusal {
  return { status, reason, headers };
}

function acceptOf(key: string): string {
  return createHash("sha1").update(`${key}${acceptSuffix}`).digest("base64");
}

function isWebSocket(token: string): boolean {
  return token.toLowerCase() === "websocket";
}

function tokensOf(header: string | undefined): readonly string[] {
  return (header ?? "").split(",").flatMap((token) => token.trim() || []);
}
