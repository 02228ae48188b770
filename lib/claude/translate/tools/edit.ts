/**
 * Tool family of edits: shows exact diffs before and after the call has run.
 *
 * Before the call runs the diff is made from its input and the file, with whole lines and
 * their context; from its input alone where the file cannot be read. Afterwards it is made
 * from the patch the CLI reports, and sent only if it differs. A rejected or failed edit
 * says before its diff that it was not applied.
 */
import { type Diff, location, type ToolCallContent, type ToolCallLocation, toolContent } from "../../../acp/index.ts";
import { isRecord, textIn } from "../../../schema/index.ts";
import type { Outcome } from "../tool-outcome.ts";
import { absolutePath, type ClientView } from "../../../display/index.ts";
import {
  beforeDiff,
  type EndedCall,
  type CallEnd,
  diffChars,
  type ToolInput,
  pathFields,
  pathTitle,
  placeOf,
  type ToolFamily,
  without,
} from "./tool-family.ts";
import { commonStart, previewEdit, type Replacement, withEdit } from "./edit-preview.ts";
import { hunkDiff, hunkPlace, patchOf } from "./patch.ts";

/** Above this size a hunk, usually of a file with very long lines, is less clear than the diff of the input. */
const maxHunkChars = 2048;

export const edit: ToolFamily = {
  names: ["edit", "multiedit", "str_replace_editor"],
  kind: "edit",
  titleFields: pathFields,
  open: (input, view) => {
    const path = textIn(input, ...pathFields);
    const { content, lines, count } = openingDiffs(input, view);
    const everywhere = count === undefined ? "" : ` (in all ${count} places)`;
    return {
      title: pathTitle("Edit", path, view, everywhere),
      locations: lines.length === 0 ? placeOf(path, view) : lines.flatMap((line) => placeOf(path, view, line)),
      content,
      rawInput: without(input, "old_string", "new_string", "oldString", "newString", "edits"),
    };
  },
  end: (call, outcome, view) => {
    if (outcome.isError) return failedEdit(call, outcome);
    const patch = patchOf(call, outcome, view);
    if (patch === undefined) return {};
    const { path, hunks } = patch;
    const diffs = hunks.map((hunk) => hunkDiff(path, hunk));
    const isClear = call.input["replace_all"] === true || diffs.every((diff) => diffChars(diff) <= maxHunkChars);
    const isNews = !sameDiffs(call.shown.content, diffs);
    return {
      ...(isNews && (isClear || !call.shown.content?.length) && { content: diffs }),
      locations: hunks.map((hunk) => hunkPlace(path, hunk)),
    };
  },
};

/** Says that the edit was not applied, and why. */
export function failedEdit({ shown }: EndedCall, outcome: Outcome): CallEnd {
  const reasons = outcome.blocks.map((part) => toolContent.block(part));
  return { content: beforeDiff([toolContent.block("Not applied."), ...reasons], shown.content ?? []) };
}

/** A location without a line, for files that are written whole. */
export function wholeFile(path: string, view: ClientView): readonly ToolCallLocation[] {
  return [location(absolutePath(path, view))];
}

interface OpeningDiffs {
  readonly content: readonly ToolCallContent[];
  /** The first changed line of each diff; none where the file does not say. */
  readonly lines: readonly (number | undefined)[];
  /** How many places a call with `replace_all` changes, if more than one. */
  readonly count: number | undefined;
}

function openingDiffs(input: ToolInput, view: ClientView): OpeningDiffs {
  const path = textIn(input, ...pathFields);
  if (path === undefined) return { content: [], lines: [], count: undefined };
  const absolute = absolutePath(path, view);
  const edits = replacements(input);
  let text = edits.length === 0 ? undefined : view.textOf(absolute);
  const isMissing = text === undefined;
  const content: ToolCallContent[] = [];
  const lines: (number | undefined)[] = [];
  let count: number | undefined;
  for (const edit of edits) {
    const preview = text === undefined ? undefined : previewEdit(text, edit);
    if (preview === undefined) {
      const isNewFile = edit.oldText === "" && isMissing;
      content.push(toolContent.diff(absolute, isNewFile ? null : edit.oldText, edit.newText));
      lines.push(text === undefined ? undefined : firstLine(text, edit));
      if (edit.replacesAll) content.push(toolContent.block("The change is made everywhere in the file."));
    } else {
      content.push(...preview.places.map((place) => toolContent.diff(absolute, place.oldText, place.newText)));
      lines.push(...preview.places.map(({ line }) => line));
      if (preview.leftOut > 0)
        content.push(toolContent.block(`The same change in ${preview.leftOut} more places of the file.`));
      if (edits.length === 1 && preview.count > 1) count = preview.count;
    }
    text = text === undefined ? undefined : withEdit(text, edit);
  }
  return { content, lines: lines.every((line) => line === undefined) ? [] : lines, count };
}

function replacements(input: ToolInput): readonly Replacement[] {
  const many = Array.isArray(input["edits"]) ? input["edits"].filter(isRecord) : [input];
  return many.flatMap((one) => {
    const oldText = one["old_string"] ?? one["oldString"];
    const newText = one["new_string"] ?? one["newString"];
    const replacesAll = (one["replace_all"] ?? one["replaceAll"]) === true;
    return typeof oldText === "string" && typeof newText === "string" ? [{ oldText, newText, replacesAll }] : [];
  });
}

/** The line of the first change in lines that are too long for a preview. */
function firstLine(text: string, { oldText, newText }: Replacement): number | undefined {
  const at = oldText === "" ? -1 : text.indexOf(oldText);
  return at < 0 ? undefined : text.slice(0, at + commonStart(oldText, newText).length).split("\n").length;
}

/** Whether the shown content is exactly these diffs. */
function sameDiffs(shown: readonly ToolCallContent[] | undefined, diffs: readonly Diff[]): boolean {
  return (
    shown?.length === diffs.length &&
    shown.every((part, i) => {
      const diff = diffs[i];
      return part.type === "diff" && part.oldText === diff?.oldText && part.newText === diff?.newText;
    })
  );
}
