/**
 * Makes everything visible in the content of a tool call that has not run yet.
 *
 * The user may be asked to allow the call, so commands and diffs must not hide anything:
 * invisible characters are marked, and in a question text that Markdown would not show is a code
 * block. This changes only what is shown, not what runs.
 */
import type { ToolCallContent } from "../acp/index.ts";
import { largest, markInvisible } from "../schema/index.ts";

/** The content of a question. */
export function askedContent(content: readonly ToolCallContent[]): ToolCallContent[] {
  return visibleContent(content).map((part) => {
    if (part.type !== "content" || part.content.type !== "text" || !mayHideText(part.content.text)) return part;
    return { ...part, content: { ...part.content, text: fenced(part.content.text) } };
  });
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

/** The text as a code block, with a fence longer than any run of backticks inside it: an indented fence would close it too. */
export function fenced(text: string, language = ""): string {
  const longest = largest(
    2,
    [...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length),
  );
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/**
 * Whether a client that shows the text as Markdown may leave out a part of it, or of what follows: a comment or tag of
 * HTML, the target of a link, a character by its name, words behind a fence, a code block that is not closed. `<U+202E>` marks an invisible character.
 */
function mayHideText(text: string): boolean {
  if (isFenced(text)) return false;
  const isHidden = /<(?!U\+[0-9A-F]+>)[!?/a-z]|\]:|\]\(|&#?\w+;|^ {0,3}(?:`{3,}|~{3,}) *\S+ +\S/im.test(text);
  return isHidden || [...text.matchAll(/^ {0,3}(?:`{3}|~{3})/gm)].length % 2 === 1;
}

/** Whether the text is one code block. */
function isFenced(text: string): boolean {
  const [, fence = "", inside = ""] = /^(`{3,})\w*\n([^]*)\n\1$/.exec(text) ?? [];
  return fence !== "" && !inside.includes(fence);
}
