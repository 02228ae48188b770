/**
 * Marks invisible characters in a tool call that has not run yet.
 *
 * The user may be asked to allow the call, so title, commands and diffs must not hide
 * anything. This changes only what is shown: the CLI runs its own input, `rawInput` holds
 * that input unchanged, and the update after the call has run shows it unchanged.
 */
import type { ToolCallContent } from "../../acp/index.ts";
import { markInvisible } from "../../schema/index.ts";
import type { ToolInput, CallStart } from "./tools/index.ts";

/** Returns the same object when there is nothing to mark. */
export function visibleStart(start: CallStart, input: ToolInput): CallStart {
  const title = markInvisible(start.title);
  const content = start.content && visibleContent(start.content);
  if (title === start.title && content === start.content) return start;
  // The content no longer shows the exact text, so `rawInput` has to.
  return { ...start, title, ...(content !== start.content && { content, rawInput: input }) };
}

/** Returns the same array when there is nothing to mark. */
export function visibleContent(content: readonly ToolCallContent[]): readonly ToolCallContent[] {
  const marked = content.map(visiblePart);
  return marked.every((part, i) => part === content[i]) ? content : marked;
}

function visiblePart(part: ToolCallContent): ToolCallContent {
  if (part.type === "diff") {
    const path = markInvisible(part.path);
    const oldText = part.oldText == null ? part.oldText : markInvisible(part.oldText);
    const newText = markInvisible(part.newText);
    const isSame = path === part.path && oldText === part.oldText && newText === part.newText;
    return isSame ? part : { ...part, path, ...(oldText !== undefined && { oldText }), newText };
  }
  if (part.type !== "content" || part.content.type !== "text") return part;
  const text = markInvisible(part.content.text);
  return text === part.content.text ? part : { ...part, content: { ...part.content, text } };
}
