/**
 * Formats the bench's results as text for a terminal or a README.
 */
import type { ContestantName, Figures } from "./measure.ts";
import type { Outcome, Row } from "./row.ts";

const columns: readonly { readonly title: string; readonly names: readonly ContestantName[] }[] = [
  { title: "floor", names: ["floor"] },
  { title: "ours", names: ["ours"] },
  { title: "official SDK", names: ["official SDK"] },
  { title: "claude-agent-acp", names: ["claude-agent-acp"] },
  { title: "codex-acp", names: ["codex-acp"] },
  { title: "vscode-jsonrpc", names: ["vscode-jsonrpc"] },
  { title: "split2 / readline", names: ["split2", "readline"] },
];

/** A Markdown table whose columns also line up in a terminal. */
export function table(outcomes: readonly Outcome[]): string {
  const head = ["what", ...columns.map(({ title }) => title), "target", "met"];
  const lines = outcomes.map(({ row, figures }) => [
    row.name,
    ...columns.map(({ names }) => names.map((name) => cell(row, name, figures)).join(" / ")),
    targetOf(row),
    verdict(row, figures),
  ]);
  const all = [head, ...lines.map((line) => line.map((text) => (text === "- / -" ? "-" : text)))];
  const widths = head.map((_, column) => Math.max(...all.map((line) => (line[column] ?? "").length)));
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  const [first, ...rest] = all.map((line) => `| ${line.map((text, i) => text.padEnd(widths[i] ?? 0)).join(" | ")} |`);
  return [first, rule, ...rest].join("\n");
}

function verdict(row: Row, figures: Figures): string {
  const shown = shownOf(row, "ours", figures);
  if (row.target === undefined || shown === undefined) return "-";
  // Compared as printed, or a reader would see 0.85 miss a target of 0.85.
  const figure = Number(shown.toFixed(2));
  return (row.scale.kind === "rate" ? figure >= row.target : figure <= row.target) ? "yes" : "NO";
}

function targetOf({ target, scale }: Row): string {
  if (target === undefined) return "-";
  return `${scale.kind === "rate" ? ">=" : "<="} ${target}${scale.kind === "plain" ? scale.unit : ""}`;
}

function cell(row: Row, name: ContestantName, figures: Figures): string {
  const figure = figures.get(name);
  const shown = shownOf(row, name, figures);
  if (figure === undefined || shown === undefined) return "-";
  const { scale } = row;
  if (scale.kind === "plain") return `${rounded(shown)}${scale.unit}`;
  if (name === (row.baseline ?? "floor")) return `1.00 = ${absolute(row, figure.cost)}`;
  return shown.toFixed(2);
}

/** A contestant's figure on the row's own scale. */
function shownOf({ scale }: Row, name: ContestantName, figures: Figures): number | undefined {
  const figure = figures.get(name);
  if (figure === undefined) return undefined;
  switch (scale.kind) {
    case "plain":
      return figure.cost;
    case "cost":
      return figure.overBaseline;
    case "rate":
      return figure.overBaseline === undefined ? undefined : 1 / figure.overBaseline;
  }
}

function absolute({ scale }: Row, cost: number): string {
  if (scale.kind === "rate") return `${short((scale.count / cost) * 1000)}${scale.unit}`;
  const each = scale.kind === "cost" && scale.per !== undefined ? (cost * 1e6) / scale.per : cost;
  return `${rounded(each)}${scale.unit}`;
}

function short(value: number): string {
  if (value >= 1e6) return `${(value / 1e6).toFixed(2)}M`;
  return value >= 1e4 ? `${Math.round(value / 1e3)}k` : String(Math.round(value));
}

function rounded(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0);
}
