/**
 * Turns an error into a sentence that is safe to print in a terminal.
 */
import { RpcError } from "../../rpc/index.ts";
import { sanitizeLine } from "./render/sanitize.ts";

/** The message of an error, safe to print. */
export function sentenceOf(cause: unknown): string {
  if (cause instanceof RpcError) return sanitizeLine(cause.message);
  return cause instanceof Error ? sanitizeLine(cause.message) : "something went wrong";
}
