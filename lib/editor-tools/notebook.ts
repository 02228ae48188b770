/**
 * Edits one cell of a Jupyter notebook: replaces, inserts or deletes it.
 *
 * Everything but that cell stays as it is, including the file's indentation.
 */
import { isRecord } from "../schema/index.ts";
import type { McpToolInput } from "./mcp-server.ts";

export type EditedNotebook =
  | { readonly kind: "edited"; readonly text: string; readonly oldSource: string; readonly message: string }
  | { readonly kind: "refused"; readonly why: string };

export function editNotebook(text: string, input: McpToolInput): EditedNotebook {
  const cells = cellsIn(text);
  if (cells === undefined) return refused("The file is not a notebook.");
  const { cell_id, new_source, edit_mode: mode = "replace" } = input;
  const source = typeof new_source === "string" ? new_source : "";
  const at = cells.findIndex((cell, i) => idOf(cell, i) === cell_id);
  const cell = cells[at];
  if (cell === undefined && (mode !== "insert" || cell_id !== undefined)) {
    return refused(`Cell with ID "${String(cell_id)}" not found in notebook.`);
  }
  const oldSource = cell === undefined || mode === "insert" ? "" : sourceOf(cell);
  const type = typeof input["cell_type"] === "string" ? input["cell_type"] : (cell?.["cell_type"] ?? "code");
  const sourceLines = source.split(/(?<=\n)/);
  const outputs = type === "code" ? { execution_count: null, outputs: [] } : {};
  if (mode === "insert") {
    const id = freshId(cells);
    const inserted = { cell_type: type, id, metadata: {}, source: sourceLines, ...outputs };
    return edited(text, cells.toSpliced(at + 1, 0, inserted), oldSource, `Inserted cell ${id} with ${source}`);
  }
  if (mode === "delete") return edited(text, cells.toSpliced(at, 1), oldSource, `Deleted cell ${String(cell_id)}`);
  const replaced = { ...cell, cell_type: type, source: sourceLines, ...outputs };
  return edited(text, cells.with(at, replaced), oldSource, `Updated cell ${String(cell_id)} with ${source}`);
}

function edited(text: string, cells: readonly McpToolInput[], oldSource: string, message: string): EditedNotebook {
  const [, indent = " "] = /\n([ \t]+)"/.exec(text) ?? [];
  const written = JSON.stringify({ ...parse(text), cells }, null, indent);
  return { kind: "edited", text: written + (text.endsWith("\n") ? "\n" : ""), oldSource, message };
}

function cellsIn(text: string): readonly McpToolInput[] | undefined {
  const cells = parse(text)?.["cells"];
  return Array.isArray(cells) ? cells.filter(isRecord) : undefined;
}

function parse(text: string): McpToolInput | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Cells of older notebooks have no id; they are named by their index. */
function idOf(cell: McpToolInput, i: number): string {
  return typeof cell["id"] === "string" ? cell["id"] : `cell-${i}`;
}

function freshId(cells: readonly McpToolInput[]): string {
  const ids = new Set(cells.map(idOf));
  let n = cells.length + 1;
  while (ids.has(`cell-${n}`)) n++;
  return `cell-${n}`;
}

function sourceOf({ source }: McpToolInput): string {
  return Array.isArray(source) ? source.join("") : typeof source === "string" ? source : "";
}

function refused(why: string): EditedNotebook {
  return { kind: "refused", why };
}
