/**
 * Renders a Markdown table as aligned columns that fit the terminal.
 *
 * Cells that are too wide are wrapped within their column. A table that has more columns
 * than fit is shown row by row, one cell a line, with the heading before each cell.
 */
import { widthOf, wrap } from "./text-width.ts";

type Alignment = "left" | "right" | "center";

export interface TableStyle {
  /** Renders the inline marks of a cell. */
  readonly cell: (text: string) => string;
  readonly heading: (text: string) => string;
  readonly ruler: (text: string) => string;
}

const gap = "  ";
const minColumn = 6;

/** Whether a line can be a row of a table. */
export function isTableRow(line: string): boolean {
  return /^\s{0,3}\|.*\|\s*$/.test(line);
}

/** Undefined when the lines are no table: the second line must have the alignments. */
export function tableLines(
  source: readonly string[],
  columns: number,
  style: TableStyle,
): readonly string[] | undefined {
  const [head, marks, ...body] = source.map(cellsOf);
  if (head === undefined || marks === undefined || !marks.every((mark) => /^:?-+:?$/.test(mark))) return undefined;
  // A row with more cells than the heading loses none of them.
  const count = Math.max(head.length, ...body.map((cells) => cells.length));
  const alignments = marks.map(alignmentOf);
  const titles = Array.from({ length: count }, (_, i) => style.heading(style.cell(head[i] ?? "")));
  const rows = body.map((cells) => Array.from({ length: count }, (_, i) => style.cell(cells[i] ?? "")));
  const widths = fitted(
    Array.from({ length: count }, (_, i) => Math.max(1, ...[titles, ...rows].map((row) => widthOf(row[i] ?? "")))),
    columns - gap.length * (count - 1),
  );
  if (widths === undefined) return rows.flatMap((row, i) => [...(i > 0 ? [""] : []), ...listed(titles, row, columns)]);
  const line = (row: readonly string[]): readonly string[] => laidOut(row, widths, alignments);
  const ruler = style.ruler(widths.map((width) => "─".repeat(width)).join(gap));
  return [...line(titles), ruler, ...rows.flatMap(line)];
}

function cellsOf(line: string): readonly string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function alignmentOf(mark: string): Alignment {
  if (!mark.endsWith(":")) return "left";
  return mark.startsWith(":") ? "center" : "right";
}

/** Narrows the widest columns until the table fits; undefined when there are too many columns. */
function fitted(wanted: readonly number[], columns: number): readonly number[] | undefined {
  const widths = [...wanted];
  let excess = widths.reduce((sum, width) => sum + width, 0) - columns;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= minColumn) return undefined;
    const next = Math.max(minColumn, ...widths.filter((width) => width < widest));
    const at = widths.flatMap((width, i) => (width === widest ? [i] : []));
    const each = Math.min(widest - next, Math.ceil(excess / at.length)) || 1;
    for (const i of at) widths[i] = widest - each;
    excess -= each * at.length;
  }
  return widths;
}

function laidOut(
  row: readonly string[],
  widths: readonly number[],
  alignments: readonly Alignment[],
): readonly string[] {
  const cells = widths.map((width, i) => wrap(row[i] ?? "", width));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, y) =>
    widths
      .map((width, i) => padded(cells[i]?.[y] ?? "", width, alignments[i] ?? "left"))
      .join(gap)
      .trimEnd(),
  );
}

function padded(text: string, width: number, alignment: Alignment): string {
  const free = Math.max(0, width - widthOf(text));
  const left = alignment === "right" ? free : alignment === "center" ? Math.floor(free / 2) : 0;
  return " ".repeat(left) + text + " ".repeat(free - left);
}

function listed(titles: readonly string[], row: readonly string[], columns: number): readonly string[] {
  return titles.flatMap((title, i) => wrap(`${title}: ${row[i] ?? ""}`, columns, "  "));
}
