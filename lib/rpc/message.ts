/**
 * Parses a line into a JSON-RPC 2.0 message, and encodes messages as lines.
 *
 * `readMessage` never throws: a line that is not a message becomes a `malformed` value
 * with the error code and the id to answer. Params, results and error data are not
 * inspected.
 */
import { errorCodes, type RpcErrorObject } from "./errors.ts";
import { exactInteger } from "./exact-integer.ts";

/** A bigint is used for an integer that a number would round. */
export type Id = string | number | bigint | null;

export interface RpcRequest {
  readonly kind: "request";
  readonly id: Id;
  readonly method: string;
  readonly params: unknown;
}

export interface RpcNotification {
  readonly kind: "notification";
  readonly method: string;
  readonly params: unknown;
}

export interface RpcResponse {
  readonly kind: "response";
  readonly id: unknown;
  readonly result: unknown;
  /** Undefined when the call succeeded. */
  readonly error: unknown;
}

/** A line that is not a message. The peer gets an error with this code and id. */
export interface Malformed {
  readonly kind: "malformed";
  readonly id: Id;
  readonly code: number;
  readonly why: string;
}

export type Incoming = RpcRequest | RpcNotification | RpcResponse | Malformed;

export function readMessage(line: string): Incoming {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return malformed(null, "not valid JSON", errorCodes.parseError);
  }
  if (typeof value !== "object" || value === null) return malformed(null, "a message must be an object");
  if (Array.isArray(value)) return malformed(null, "batches are not supported");
  // An object that is not an array has string keys.
  const message = value as Readonly<Record<string, unknown>>;
  const { method } = message;
  if (typeof method !== "string" && (message["result"] !== undefined || message["error"] !== undefined)) {
    return { kind: "response", id: message["id"], result: message["result"], error: message["error"] };
  }
  const id = message["id"] === undefined ? undefined : readId(message["id"], line, idPath);
  if (message["jsonrpc"] !== "2.0") return malformed(id ?? null, 'jsonrpc must be "2.0"');
  if (typeof method !== "string") return malformed(id ?? null, "method must be string");
  if (id !== undefined) return { kind: "request", id, method, params: message["params"] };
  if (message["id"] === undefined) return { kind: "notification", method, params: message["params"] };
  return malformed(null, "id must be string, integer or null");
}

/** The request id in a `$/cancel_request`; undefined when there is no valid id. */
export function readCancelledId(notification: RpcNotification, line: string): Id | undefined {
  const { params } = notification;
  if (typeof params !== "object" || params === null || !("requestId" in params)) return undefined;
  return readId(params.requestId, line, cancelPath);
}

export function encodeRequest(id: number, method: string, params: unknown): string {
  return `{"jsonrpc":"2.0","id":${id},${encodeCall(method, params)}`;
}

export function encodeNotification(method: string, params: unknown): string {
  return `{"jsonrpc":"2.0",${encodeCall(method, params)}`;
}

export function encodeResult(id: Id, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${JSON.stringify(result) ?? "null"}}`;
}

export function encodeError(id: Id, error: RpcErrorObject): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"error":${JSON.stringify(error)}}`;
}

const idPath = ["id"];
const cancelPath = ["params", "requestId"];

function encodeCall(method: string, params: unknown): string {
  const text = params === undefined ? undefined : JSON.stringify(params);
  return text === undefined
    ? `"method":${JSON.stringify(method)}}`
    : `"method":${JSON.stringify(method)},"params":${text}}`;
}

function encodeId(id: Id): string {
  return typeof id === "string" ? JSON.stringify(id) : String(id);
}

function readId(id: unknown, line: string, path: readonly string[]): Id | undefined {
  if (typeof id === "string" || id === null) return id;
  if (typeof id !== "number") return undefined;
  return Number.isSafeInteger(id) ? id : exactInteger(line, path);
}

export function malformed(id: Id, why: string, code: number = errorCodes.invalidRequest): Malformed {
  return { kind: "malformed", id, code, why };
}
