/**
 * The title of a session until its agent sends one: the start of its first message.
 */
import type { ContentBlock } from "../../acp/index.ts";
import { sliceWhole } from "../../schema/index.ts";

const maxTitleChars = 80;

/** Null when the message has no text. */
export function titleOf(content: readonly ContentBlock[]): string | null {
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join(" ");
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line === "" ? null : line.length > maxTitleChars ? `${sliceWhole(line, maxTitleChars - 1)}…` : line;
}
