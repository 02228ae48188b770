/**
 * A tool call that has not run yet, with every character visible.
 *
 * A person may be asked about the call, so its title, commands and diffs carry marks
 * for what cannot be seen. This is for the eyes only: what runs and what is written is
 * the CLI's own input, `rawInput` carries it as it is, and so does the update after
 * the call has run.
 */
import type { ToolCallContent } from "../../acp/index.ts";
import { markInvisible } from "../../schema/index.ts";
import type { ToolInput, CallStart } from "./tools/index.ts";

/** The same object when there is nothing to mark. */
export function visibleOpening(opening: CallStart, input: ToolInput): CallStart {
  const title = markInvisible(opening.title);
  const content = opening.content && visibleContent(opening.content);
  if (title === opening.title && content === opening.content) return opening;
  // The content does not show the exact text any more, so the input has to.
  return { ...opening, title, ...(content !== opening.content && { content, rawInput: input }) };
}

/** The same array when there is nothing to mark. */
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
