/**
 * Writes sums of tokens and costs as a table for the terminal or as an HTML page without scripts.
 */
import { largest } from "../../schema/index.ts";
import { escapeControls } from "../../wire/index.ts";
import { escapeHtml } from "../sessions/export-conversation.ts";
import { type Grouping, type SpendingSum, tokensOf } from "./spending.ts";

const partialNote =
  "* or -: without the tokens whose cost is not known. Codex saves no cost, nor does a Claude CLI that was killed; --prices <file> adds prices of your own";

export function costTable(by: readonly Grouping[], sums: readonly SpendingSum[], total: SpendingSum): string {
  const head = [...by, "sessions", "input", "output", "cache read", "cache write", "US$"];
  const rows = [...sums.map(cells), cells({ ...total, keys: by.map((_, i) => (i === 0 ? "total" : "")) })];
  const widths = head.map((title, i) =>
    largest(
      title.length,
      rows.map((row) => row[i]?.length ?? 0),
    ),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (i < by.length ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  const last = rows.length - 1;
  const lines = [line(head), rule, ...rows.slice(0, last).map(line), rule, line(rows[last] ?? [])];
  return `${[...lines, ...(isNoteNeeded(total) ? ["", partialNote] : [])].join("\n")}\n`;
}

export function costPage(by: readonly Grouping[], sums: readonly SpendingSum[], total: SpendingSum): string {
  const most = largest(1, sums.map(tokensOf));
  const head = [...by, "sessions", "input", "output", "cache read", "cache write", "US$", "share of the tokens"];
  const row = (sum: SpendingSum): string => {
    const texts = cells(sum).map((cell, i) => `<td${i < by.length ? "" : ' class="n"'}>${escapeHtml(cell)}</td>`);
    const share = Math.round((1000 * tokensOf(sum)) / most) / 10;
    return `<tr>${texts.join("")}<td><meter min="0" max="100" value="${share}">${share} %</meter></td></tr>`;
  };
  const sumRow = cells({ ...total, keys: by.map((_, i) => (i === 0 ? "total" : "")) });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>What sessions cost</title><style>
body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .75rem;border-bottom:1px solid #8886;overflow-wrap:anywhere}
.n{text-align:right;font-variant-numeric:tabular-nums}tfoot{font-weight:bold}meter{width:8rem}</style></head>
<body><h1>What sessions cost</h1>
<table><thead><tr>${head.map((title, i) => `<th scope="col"${i < by.length ? "" : ' class="n"'}>${title}</th>`).join("")}</tr></thead>
<tbody>
${sums.map(row).join("\n")}
</tbody><tfoot><tr>${sumRow.map((cell, i) => `<td${i < by.length ? "" : ' class="n"'}>${escapeHtml(cell)}</td>`).join("")}<td></td></tr></tfoot></table>
${isNoteNeeded(total) ? `<p>${escapeHtml(partialNote)}</p>` : ""}
</body></html>
`;
}

function cells(sum: SpendingSum): readonly string[] {
  const count = (value: number): string => value.toLocaleString("en-US");
  const { keys, sessions, input, output, cacheRead, cacheWrite } = sum;
  return [
    ...keys.map((key) => escapeControls(key.replaceAll(/\s+/g, " "))),
    ...[sessions, input, output, cacheRead, cacheWrite].map(count),
    dollars(sum),
  ];
}

function dollars({ cost, isCostPartial }: SpendingSum): string {
  if (cost === undefined) return "-";
  return `${cost < 1 ? cost.toFixed(4) : cost.toFixed(2)}${isCostPartial ? "*" : ""}`;
}

function isNoteNeeded({ cost, isCostPartial }: SpendingSum): boolean {
  return isCostPartial || cost === undefined;
}
