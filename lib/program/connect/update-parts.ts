/**
 * The parts of a `session/update` by which `bowline connect` finds out whether the editor has it.
 */
import { isRecord } from "../../schema/index.ts";

export type Update = Readonly<Record<string, unknown>>;

export const userKind = "user_message_chunk";

export function kindOf(update: Update): string {
  return String(update["sessionUpdate"]);
}

/** Names a message of one kind; messages without an id are one message. */
export function messageKey(update: Update): string {
  const { messageId } = update;
  return `${kindOf(update)}\n${typeof messageId === "string" ? messageId : ""}`;
}

export function contentOf(update: Update): Update {
  return isRecord(update["content"]) ? update["content"] : {};
}

/** The text of a message chunk; undefined for other updates and other content. */
export function textOf(update: Update): string | undefined {
  const { text } = contentOf(update);
  return /_message_chunk$|_thought_chunk$/.test(kindOf(update)) && typeof text === "string" ? text : undefined;
}

export function callIdOf(update: Update): string | undefined {
  const id = update["toolCallId"];
  return kindOf(update).startsWith("tool_call") && typeof id === "string" ? id : undefined;
}
