/**
 * Tool family of edits: shows exact diffs before and after the call has run.
 *
 * Before the call runs the diff is made from its input; afterwards from the patch the CLI
 * reports. A rejected or failed edit keeps its diff.
 */
import { type Diff, location, type ToolCallContent, type ToolCallLocation, toolContent } from "../../../acp/index.ts";
import { isRecord, textIn } from "../../../schema/index.ts";
import type { Outcome } from "../tool-outcome.ts";
import { absolutePath, type ClientView } from "../../../display/index.ts";
import {
  type EndedCall,
  type CallEnd,
  type ToolInput,
  pathFields,
  pathTitle,
  placeOf,
  type ToolFamily,
  without,
} from "./tool-family.ts";
import { hunkDiff, hunkPlace, patchOf } from "./patch.ts";

interface Replacement {
  readonly oldText: string;
  readonly newText: string;
}

/** Above this size a hunk, usually of a file with very long lines, is less clear than the diff of the input. */
const maxHunkChars = 2048;

export const edit: ToolFamily = {
  names: ["edit", "multiedit", "str_replace_editor"],
  kind: "edit",
  titleFields: pathFields,
  open: (input, view) => {
    const path = textIn(input, ...pathFields);
    return {
      title: pathTitle("Edit", path, view),
      locations: placeOf(path, view, firstLine(path, input, view)),
      content: openingDiffs(input, view),
      rawInput: without(input, "old_string", "new_string", "oldString", "newString", "edits"),
    };
  },
  end: (call, outcome, view) => {
    if (outcome.isError) return failedEdit(call, outcome);
    const patch = patchOf(call, outcome, view);
    if (patch === undefined) return {};
    const { path, hunks } = patch;
    const diffs = hunks.map((hunk) => hunkDiff(path, hunk));
    const isClear = call.input["replace_all"] === true || diffs.every((diff) => sizeOf(diff) <= maxHunkChars);
    return {
      ...((isClear || !call.shown.content?.length) && { content: diffs }),
      locations: hunks.map((hunk) => hunkPlace(path, hunk)),
    };
  },
};

/** Keeps the diff and adds the reason, except when the user rejected the call and so knows the reason. */
export function failedEdit({ shown }: EndedCall, outcome: Outcome): CallEnd {
  const reasons = outcome.blocks.map((part) => toolContent.block(part));
  if (!shown.content?.length) return { content: reasons };
  return outcome.isUserDecision ? {} : { content: [...shown.content, ...reasons] };
}

/** A location without a line, for files that are written whole. */
export function wholeFile(path: string, view: ClientView): readonly ToolCallLocation[] {
  return [location(absolutePath(path, view))];
}

function openingDiffs(input: ToolInput, view: ClientView): readonly ToolCallContent[] {
  const path = textIn(input, ...pathFields);
  if (path === undefined) return [];
  const absolute = absolutePath(path, view);
  return replacements(input).map(({ oldText, newText }) => {
    const isNewFile = oldText === "" && view.textOf(absolute) === undefined;
    return toolContent.diff(absolute, isNewFile ? null : oldText, newText);
  });
}

function replacements(input: ToolInput): readonly Replacement[] {
  const many = Array.isArray(input["edits"]) ? input["edits"].filter(isRecord) : [input];
  return many.flatMap((one) => {
    const oldText = one["old_string"] ?? one["oldString"];
    const newText = one["new_string"] ?? one["newString"];
    return typeof oldText === "string" && typeof newText === "string" ? [{ oldText, newText }] : [];
  });
}

/** The line of the first change, if the file can be read. */
function firstLine(path: string | undefined, input: ToolInput, view: ClientView): number | undefined {
  const [first] = replacements(input);
  if (path === undefined || first === undefined || first.oldText === "") return undefined;
  const { oldText, newText } = first;
  const text = view.textOf(absolutePath(path, view));
  const at = text?.indexOf(oldText) ?? -1;
  if (text === undefined || at < 0) return undefined;
  return text.slice(0, at + commonPrefixLength(oldText, newText)).split("\n").length;
}

/** The length of the common prefix of two texts. */
function commonPrefixLength(left: string, right: string): number {
  let i = 0;
  while (i < left.length && left[i] === right[i]) i++;
  return i;
}

function sizeOf({ oldText, newText }: Diff): number {
  return (oldText?.length ?? 0) + newText.length;
}
