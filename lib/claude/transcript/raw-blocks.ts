/**
 * Looks into the content of a message that no schema has validated yet.
 */
import { isRecord } from "../../schema/index.ts";
import { parseUserText } from "./user-text.ts";

export const synthetic = "<synthetic>";

/** A message the CLI writes only so that prompts and answers alternate. A live CLI never sends it. */
export function isFiller(message: Readonly<Record<string, unknown>>): boolean {
  return message["model"] === synthetic && soleText(message["content"]) === "No response requested.";
}

/** The content of a prompt without the blocks that the CLI or an editor added for the model. */
export function visibleBlocks(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.filter((block) => {
    const text = isRecord(block) && block["type"] === "text" ? block["text"] : undefined;
    return typeof text !== "string" || parseUserText(text).kind === "prompt";
  });
}

export function soleBlock(content: unknown): Readonly<Record<string, unknown>> | undefined {
  const block: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
  return isRecord(block) ? block : undefined;
}

export function soleText(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  const block = soleBlock(content);
  return block?.["type"] === "text" && typeof block["text"] === "string" ? block["text"] : undefined;
}

export function hasResult(message: unknown): boolean {
  return resultIds(message).length > 0;
}

export function resultIds(message: unknown): readonly string[] {
  const content = isRecord(message) ? message["content"] : undefined;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    const id = isRecord(block) && block["type"] === "tool_result" ? block["tool_use_id"] : undefined;
    return typeof id === "string" ? [id] : [];
  });
}
