/**
 * Writing: whole files, and cells of notebooks.
 *
 * A new file has no old text; an overwrite shows what it overwrites as soon as
 * that can be known.
 */
import { type ToolCallContent, toolContent } from "../../acp/index.ts";
import { absolutePath, type View } from "../view.ts";
import { keepDiffs, wholeFile } from "./edit.ts";
import { type Input, pathFields, pathTitle, textIn, type ToolFamily, without } from "./family.ts";
import { hunkDiff, hunkPlace, readHunks } from "./patch.ts";

export const write: ToolFamily = {
  names: ["write", "create", "write_file"],
  kind: "edit",
  titleFields: pathFields,
  open: (input, view) => {
    const path = textIn(input, ...pathFields);
    return {
      title: pathTitle("Write", path, view),
      locations: path === undefined ? [] : wholeFile(path, view),
      content: openingDiff(input, view),
      rawInput: without(input, "content"),
    };
  },
  end: (input, outcome, view) => {
    if (outcome.isError) return keepDiffs(openingDiff(input, view), outcome);
    const path = textIn(input, ...pathFields);
    const hunks = readHunks(outcome.structured?.["structuredPatch"]);
    // The opening diff already showed a new file whole; an overwrite is clearer as its changes.
    if (path === undefined || hunks.length === 0) return {};
    const absolute = absolutePath(path, view);
    return {
      content: hunks.map((hunk) => hunkDiff(absolute, hunk)),
      locations: hunks.map((hunk) => hunkPlace(absolute, hunk)),
    };
  },
};

export const notebook: ToolFamily = {
  names: ["notebookedit"],
  kind: "edit",
  titleFields: pathFields,
  open: (input, view) => {
    const path = textIn(input, ...pathFields);
    return {
      title: pathTitle("Edit", path, view, cell(input)),
      locations: path === undefined ? [] : wholeFile(path, view),
      content: cellDiff(input, view),
      rawInput: without(input, "new_source"),
    };
  },
  end: (input, outcome, view) => (outcome.isError ? keepDiffs(cellDiff(input, view), outcome) : {}),
};

function openingDiff(input: Input, view: View): readonly ToolCallContent[] {
  const path = textIn(input, ...pathFields);
  const content = input["content"];
  if (path === undefined || typeof content !== "string") return [];
  const absolute = absolutePath(path, view);
  return [toolContent.diff(absolute, view.textOf(absolute) ?? null, content)];
}

function cell(input: Input): string {
  const id = textIn(input, "cell_id");
  return id === undefined ? "" : ` (cell ${id})`;
}

function cellDiff(input: Input, view: View): readonly ToolCallContent[] {
  const path = textIn(input, ...pathFields);
  if (path === undefined) return [];
  const source = input["edit_mode"] === "delete" ? "" : (textIn(input, "new_source") ?? "");
  // The CLI does not say what the cell held; only an insertion is known to replace nothing.
  return [toolContent.diff(absolutePath(path, view), "", source)];
}
