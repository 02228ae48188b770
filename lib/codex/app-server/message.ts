/**
 * Reads and writes the lines of `codex app-server`: JSON-RPC 2.0 without the field
 * `jsonrpc`.
 *
 * Ids of both directions begin wherever the sender likes; the first id of Codex is 0.
 * Fields that are not named here are ignored.
 */
import { isRecord } from "../../schema/index.ts";
import { parseJson } from "../../wire/index.ts";

export type MessageId = string | number;

export type CodexMessage =
  | { readonly kind: "request"; readonly id: MessageId; readonly method: string; readonly params: Params }
  | { readonly kind: "notification"; readonly method: string; readonly params: Params }
  | { readonly kind: "result"; readonly id: MessageId; readonly result: unknown }
  | { readonly kind: "error"; readonly id: MessageId; readonly error: CodexError }
  | { readonly kind: "unreadable" };

export type Params = Readonly<Record<string, unknown>>;

export interface CodexError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export const errorCodes = { overloaded: -32001, methodNotFound: -32601, internal: -32603 } as const;

export function readMessage(line: string): CodexMessage {
  const value = parseJson(line);
  if (!isRecord(value)) return unreadable;
  const { id, method, params, error } = value;
  if (typeof method === "string") {
    const given = isRecord(params) ? params : {};
    if (id === undefined || id === null) return { kind: "notification", method, params: given };
    return isId(id) ? { kind: "request", id, method, params: given } : unreadable;
  }
  if (!isId(id)) return unreadable;
  if (error === undefined || error === null) return { kind: "result", id, result: value["result"] };
  return { kind: "error", id, error: readError(error) };
}

/** The trace that a request belongs to (W3C Trace Context), for the spans that Codex makes. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

export function requestLine(id: MessageId, method: string, params: object, trace?: TraceContext): string {
  return JSON.stringify({ method, id, params, trace });
}

export function notificationLine(method: string): string {
  return JSON.stringify({ method });
}

export function resultLine(id: MessageId, result: unknown): string {
  return JSON.stringify({ id, result: result ?? {} });
}

export function errorLine(id: MessageId, error: CodexError): string {
  return JSON.stringify({ id, error });
}

const unreadable = { kind: "unreadable" } as const;

function isId(value: unknown): value is MessageId {
  return typeof value === "string" || typeof value === "number";
}

function readError(error: unknown): CodexError {
  if (!isRecord(error)) return { code: errorCodes.internal, message: "" };
  const { code, message, data } = error;
  return {
    code: typeof code === "number" ? code : errorCodes.internal,
    message: typeof message === "string" ? message : "",
    data,
  };
}
