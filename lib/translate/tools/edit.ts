/**
 * Editing: what changes, as exact diffs before and after it happens.
 *
 * Before the call runs the diff is made from its input, afterwards from what
 * really changed. A rejected or failed edit keeps its diff, with the reason
 * beside it.
 */
import { location, type ToolCallContent, type ToolCallLocation, toolContent } from "../../acp/index.ts";
import { isRecord } from "../../schema/index.ts";
import type { Outcome } from "../outcome.ts";
import { absolutePath, type View } from "../view.ts";
import { type Ending, type Input, pathFields, pathTitle, placeOf, textIn, type ToolFamily, without } from "./family.ts";
import { hunkDiff, hunkPlace, readHunks } from "./patch.ts";

interface Replacement {
  readonly oldText: string;
  readonly newText: string;
}

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
  end: (input, outcome, view) => {
    const path = textIn(input, ...pathFields);
    if (outcome.isError) return keepDiffs(openingDiffs(input, view), outcome);
    const hunks = readHunks(outcome.structured?.["structuredPatch"]);
    if (path === undefined || hunks.length === 0) return {};
    const absolute = absolutePath(path, view);
    return {
      content: hunks.map((hunk) => hunkDiff(absolute, hunk)),
      locations: hunks.map((hunk): ToolCallLocation => hunkPlace(absolute, hunk)),
    };
  },
};

/** Content stays what it was, and the reason comes after it. */
export function keepDiffs(diffs: readonly ToolCallContent[], outcome: Outcome): Ending {
  return { content: [...diffs, ...outcome.blocks.map((part) => toolContent.block(part))] };
}

function openingDiffs(input: Input, view: View): readonly ToolCallContent[] {
  const path = textIn(input, ...pathFields);
  if (path === undefined) return [];
  return replacements(input).map(({ oldText, newText }) => {
    const isNewFile = oldText === "" && view.textOf(absolutePath(path, view)) === undefined;
    return toolContent.diff(absolutePath(path, view), isNewFile ? null : oldText, newText);
  });
}

function replacements(input: Input): readonly Replacement[] {
  const many = Array.isArray(input["edits"]) ? input["edits"].filter(isRecord) : [input];
  return many.flatMap((one) => {
    const oldText = one["old_string"] ?? one["oldString"];
    const newText = one["new_string"] ?? one["newString"];
    return typeof oldText === "string" && typeof newText === "string" ? [{ oldText, newText }] : [];
  });
}

/** The line the first change will be on, when the file can be looked at. */
function firstLine(path: string | undefined, input: Input, view: View): number | undefined {
  const oldText = replacements(input)[0]?.oldText;
  if (path === undefined || oldText === undefined || oldText === "") return undefined;
  const text = view.textOf(absolutePath(path, view));
  const at = text?.indexOf(oldText) ?? -1;
  return text === undefined || at < 0 ? undefined : text.slice(0, at).split("\n").length;
}

/** A place without a line, for files that are written whole. */
export function wholeFile(path: string, view: View): readonly ToolCallLocation[] {
  return [location(absolutePath(path, view))];
}
