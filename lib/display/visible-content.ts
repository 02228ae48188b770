/**
 * Marks invisible characters in the content of a tool call that has not run yet.
 *
 * The user may be asked to allow the call, so commands and diffs must not hide anything.
 * This changes only what is shown, not what runs.
 */
import type { ToolCallContent } from "../acp/index.ts";
import { markInvisible } from "../schema/index.ts";

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
