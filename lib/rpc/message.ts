/**
 * Parses a line into a JSON-RPC 2.0 message or a batch of messages, and encodes messages
 * as lines.
 *
 * Reading never throws: a line or an element of a batch that is not a message becomes
 * a `malformed` value with the error code and the id to answer. Params, results and error
 * data are not inspected.
 */
import { elementTexts } from "./array-elements.ts";
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

/** A line or an element of a batch that is not a message. The peer gets an error with this code and id. */
export interface Malformed {
  readonly kind: "malformed";
  readonly id: Id;
  readonly code: number;
  readonly why: string;
}

export type Incoming = RpcRequest | RpcNotification | RpcResponse | Malformed;

/** A message of a batch, and its own text. */
export interface BatchElement {
  readonly message: Incoming;
  readonly text: string;
}

/** Several messages on one line, in their order; at least one. */
export interface Batch {
  readonly kind: "batch";
  readonly elements: readonly BatchElement[];
}

/** How many messages a batch may have. A longer batch is refused as a whole. */
const defaultMaxBatchLength = 1024;

/** Reads a line that is one message or a batch. `maxBatchLength` 0 refuses every batch. */
export function readLine(line: string, maxBatchLength: number = defaultMaxBatchLength): Incoming | Batch {
  const value = parse(line);
  if (!Array.isArray(value) || maxBatchLength === 0) return readValue(value, line);
  if (value.length === 0) return malformed(null, "a batch must not be empty");
  if (value.length > maxBatchLength) {
    return malformed(null, `a batch must not have more than ${maxBatchLength} messages`);
  }
  const values: readonly unknown[] = value;
  const elements = elementTexts(line).map((text, i) => ({ message: readElement(values[i], text), text }));
  return { kind: "batch", elements };
}

/** Reads a line that must be one message: a batch is malformed. A `Peer` uses `readLine`. */
export function readMessage(line: string): Incoming {
  return readValue(parse(line), line);
}

/** The request id in a `$/cancel_request`; undefined when there is no valid id. */
export function readCancelledId(notification: RpcNotification, text: string): Id | undefined {
  const { params } = notification;
  if (typeof params !== "object" || params === null || !("requestId" in params)) return undefined;
  return readId(params.requestId, text, cancelPath);
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

const notObject = "a message must be an object";
const idPath = ["id"];
const cancelPath = ["params", "requestId"];

/** Undefined when the line is not valid JSON; no JSON text has the value undefined. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** A batch within a batch is not a message. */
function readElement(value: unknown, text: string): Incoming {
  return Array.isArray(value) ? malformed(null, notObject) : readValue(value, text);
}

/** Reads the value of a JSON text. */
function readValue(value: unknown, text: string): Incoming {
  if (value === undefined) return malformed(null, "not valid JSON", errorCodes.parseError);
  if (typeof value !== "object" || value === null) return malformed(null, notObject);
  if (Array.isArray(value)) return malformed(null, "batches are not supported");
  // An object that is not an array has string keys.
  const message = value as Readonly<Record<string, unknown>>;
  const { method } = message;
  if (typeof method !== "string" && (message["result"] !== undefined || message["error"] !== undefined)) {
    return { kind: "response", id: message["id"], result: message["result"], error: message["error"] };
  }
  const id = message["id"] === undefined ? undefined : readId(message["id"], text, idPath);
  if (message["jsonrpc"] !== "2.0") return malformed(id ?? null, 'jsonrpc must be "2.0"');
  if (typeof method !== "string") return malformed(id ?? null, "method must be string");
  if (id !== undefined) return { kind: "request", id, method, params: message["params"] };
  if (message["id"] === undefined) return { kind: "notification", method, params: message["params"] };
  return malformed(null, "id must be string, integer or null");
}

function encodeCall(method: string, params: unknown): string {
  const text = params === undefined ? undefined : JSON.stringify(params);
  return text === undefined
    ? `"method":${JSON.stringify(method)}}`
    : `"method":${JSON.stringify(method)},"params":${text}}`;
}

function encodeId(id: Id): string {
  return typeof id === "string" ? JSON.stringify(id) : String(id);
}

function readId(id: unknown, text: string, path: readonly string[]): Id | undefined {
  if (typeof id === "string" || id === null) return id;
  if (typeof id !== "number") return undefined;
  return Number.isSafeInteger(id) ? id : exactInteger(text, path);
}

export function malformed(id: Id, why: string, code: number = errorCodes.invalidRequest): Malformed {
  return { kind: "malformed", id, code, why };
}
