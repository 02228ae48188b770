/**
 * Marks invisible characters in a tool call that has not run yet.
 *
 * The user may be asked to allow the call, so title, commands and diffs must not hide
 * anything. This changes only what is shown: the CLI runs its own input, `rawInput` holds
 * that input unchanged, and the update after the call has run shows it unchanged.
 */
import { type ClientView, visibleContent } from "../../display/index.ts";
import { markInvisible } from "../../schema/index.ts";
import type { ToolInput, CallStart } from "./tools/index.ts";

/** The field `rawInput` of a call: the whole input for a client that asks for it, once it is known. */
export function rawInputOf(
  shown: CallStart,
  input: ToolInput,
  { wantsRaw }: ClientView,
): { readonly rawInput?: unknown } {
  const rawInput = wantsRaw === true && Object.keys(input).length > 0 ? input : shown.rawInput;
  return rawInput === undefined ? {} : { rawInput };
}

/** Returns the same object when there is nothing to mark. */
export function visibleStart(start: CallStart, input: ToolInput): CallStart {
  const title = markInvisible(start.title);
  const content = start.content && visibleContent(start.content);
  if (title === start.title && content === start.content) return start;
  // The content no longer shows the exact text, so `rawInput` has to.
  return { ...start, title, ...(content !== start.content && { content, rawInput: input }) };
}
