/**
 * Turns an error into a sentence that is safe to print in a terminal.
 */
import { RpcError } from "../../rpc/index.ts";
import { isRecord } from "../../schema/index.ts";
import { sanitizeLine } from "./render/sanitize.ts";

/** The message of an error, safe to print. */
export function sentenceOf(cause: unknown): string {
  if (cause instanceof RpcError) return sanitizeLine(cause.message);
  return cause instanceof Error ? sanitizeLine(cause.message) : "something went wrong";
}

/** What follows after a prompt failed because its CLI is gone; "" after any other failure, and where the message is sentences. */
export function nextStep(cause: unknown): string {
  const isCliGone = cause instanceof RpcError && isRecord(cause.data) && cause.data["errorKind"] === "cli";
  if (!isCliGone || /[.!?]$/.test(cause.message)) return "";
  return ". Your next message starts it again and continues the conversation.";
}
