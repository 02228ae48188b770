/**
 * Tool family of notebook edits: one cell changed, inserted or deleted.
 */
import { type ToolCallContent, toolContent } from "../../../acp/index.ts";
import { isRecord, textIn } from "../../../schema/index.ts";
import { absolutePath, type ClientView } from "../../../display/index.ts";
import { failedEdit, wholeFile } from "./edit.ts";
import { type ToolInput, pathFields, pathTitle, type ToolFamily, without } from "./tool-family.ts";

export const notebook: ToolFamily = {
  names: ["notebookedit"],
  kind: "edit",
  titleFields: pathFields,
  open: (input, view) => {
    const path = textIn(input, ...pathFields);
    return {
      title: pathTitle("Edit", path, view, cell(input)),
      locations: path === undefined ? [] : wholeFile(path, view),
      content: openingDiff(input, view),
      rawInput: without(input, "new_source"),
    };
  },
  end: (call, outcome, view) => {
    if (outcome.isError) return failedEdit(call, outcome);
    const replaced = outcome.structured?.["old_source"];
    return typeof replaced === "string" ? { content: cellDiff(call.input, view, replaced) } : {};
  },
};

function cell(input: ToolInput): string {
  const id = textIn(input, "cell_id");
  // A cell that becomes code is run with the others.
  const type = textIn(input, "cell_type");
  switch (input["edit_mode"]) {
    case "insert":
      return ` (new ${type === undefined ? "" : `${type} `}cell${id === undefined ? "" : ` after ${id}`})`;
    case "delete":
      return ` (delete cell ${id ?? ""})`;
    default:
      return id === undefined ? "" : ` (cell ${id}${type === undefined ? "" : ` as ${type}`})`;
  }
}

function cellDiff(input: ToolInput, view: ClientView, before: string): readonly ToolCallContent[] {
  const path = textIn(input, ...pathFields);
  if (path === undefined) return [];
  const after = input["edit_mode"] === "delete" ? "" : (textIn(input, "new_source") ?? "");
  return [toolContent.diff(absolutePath(path, view), before, after)];
}

function openingDiff(input: ToolInput, view: ClientView): readonly ToolCallContent[] {
  const before = input["edit_mode"] === "insert" ? "" : currentSource(input, view);
  const diff = cellDiff(input, view, before ?? "");
  if (before !== undefined || diff.length === 0) return diff;
  return [toolContent.block("The present text of the cell is not known."), ...diff];
}

/** The current source of the cell; undefined when the notebook or the cell cannot be read. */
function currentSource(input: ToolInput, view: ClientView): string | undefined {
  const path = textIn(input, ...pathFields);
  if (path === undefined) return undefined;
  try {
    const notebook: unknown = JSON.parse(view.textOf(absolutePath(path, view)) ?? "");
    const cells = isRecord(notebook) ? notebook["cells"] : undefined;
    const source = Array.isArray(cells) ? cellWith(textIn(input, "cell_id"), cells)?.["source"] : undefined;
    return Array.isArray(source) ? source.join("") : typeof source === "string" ? source : undefined;
  } catch {
    return undefined;
  }
}

/** The CLI finds a cell by its id or by its position, as in `cell-0`; without an id it takes the first. */
function cellWith(id: string | undefined, cells: readonly unknown[]): Readonly<Record<string, unknown>> | undefined {
  const [, position = id === undefined ? "0" : undefined] = /^cell-(\d+)$/.exec(id ?? "") ?? [];
  const found = id === undefined ? undefined : cells.filter(isRecord).find((one) => one["id"] === id);
  const placed = position === undefined ? undefined : cells[Number(position)];
  return found ?? (isRecord(placed) ? placed : undefined);
}
