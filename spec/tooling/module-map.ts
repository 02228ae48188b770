/**
 * Draws docs/modules.svg: the modules of lib and bin, and which imports which.
 *
 * The arrows come from the imports in the source, the purposes from the table in
 * docs/architecture.md. A module is drawn one row above the highest module it imports.
 * An import that also follows from a chain of arrows is left out. The same sources
 * give the same bytes. `npm run docs:modules` writes the file.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readText } from "../support/files.ts";
import { moduleImports } from "../support/modules.ts";

export const pictureFile = "docs/modules.svg";

export interface ModuleRow {
  readonly module: string;
  readonly purpose: string;
  readonly mayImport: readonly string[];
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Columns, so that no arrow crosses a box. A module that is not listed is in the last one. */
const columns: Readonly<Record<string, number>> = {
  bin: 2,
  program: 2,
  exports: 0,
  agent: 1,
  "editor-tools": 1,
  bridge: 2,
  serve: 3,
  claude: 2,
  acp: 2.5,
  rpc: 2.5,
  tape: 0,
  process: 1,
  wire: 2,
  schema: 3,
};
const lastColumn = 4;

/** What the table of modules does not hold. */
const otherPurposes: Readonly<Record<string, string>> = {
  bin: "argv to one command, exit codes",
  index: "lib/index.ts: bowline, the entry point of the library",
};

const box = { width: 176, height: 72 };
const step = { x: 200, y: 116 };
const margin = 16;
const maxLineChars = 27;

/** The table of modules in docs/architecture.md. */
export function readModuleTable(page: string): readonly ModuleRow[] {
  const rows = page.matchAll(/^\| `([a-z-]+)` \| ([^|]+) \| (nothing|(?:`[a-z-]+` ?)+) \|$/gm);
  return [...rows].map(([, module = "", purpose = "", names = ""]) => ({
    module,
    purpose,
    mayImport: [...names.matchAll(/`([a-z-]+)`/g)].map(([, name = ""]) => name),
  }));
}

export function drawModuleMap(): string {
  const graph = withoutVersion(moduleImports());
  const purposes = new Map(readModuleTable(readText("docs/architecture.md")).map((row) => [row.module, row.purpose]));
  const levels = new Map([...graph.keys()].map((module) => [module, levelOf(graph, module)]));
  const top = Math.max(...levels.values());
  const place = (module: string): { readonly x: number; readonly y: number } => ({
    x: margin + (columns[module] ?? lastColumn) * step.x,
    y: margin + (top - (levels.get(module) ?? 0)) * step.y,
  });
  const modules = [...graph.keys()].sort();
  const arrows = modules.flatMap((from) =>
    directImports(graph, from).map((to) => {
      const start = place(from);
      const end = place(to);
      return `  <path d="${arrowPath(start, end)}" marker-end="url(#head)"/>`;
    }),
  );
  const boxes = modules.map((module) => {
    const { x, y } = place(module);
    const lines = wrapped(purposes.get(module) ?? otherPurposes[module] ?? "");
    const words = lines.map((line, i) => `<text x="${x + 10}" y="${y + 35 + 13 * i}">${escaped(line)}</text>`);
    return [
      `  <g>`,
      `    <rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="6"/>`,
      `    <text x="${x + 10}" y="${y + 19}" class="name">${module}</text>`,
      ...words.map((line) => `    ${line}`),
      `  </g>`,
    ].join("\n");
  });
  const width = 2 * margin + lastColumn * step.x + box.width;
  const height = 2 * margin + top * step.y + box.height;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="11">
  <title>The modules of Bowline and their imports</title>
  <style>
    .back { fill: #ffffff; }
    g rect { fill: #f6f8fa; stroke: #57606a; }
    text { fill: #424a53; }
    .name { fill: #0b3d91; font-weight: 600; font-size: 14px; }
    path { fill: none; stroke: #57606a; stroke-width: 1.4; }
    marker path { fill: #57606a; stroke: none; }
  </style>
  <defs>
    <marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>
  </defs>
  <rect class="back" width="${width}" height="${height}"/>
${arrows.join("\n")}
${boxes.join("\n")}
</svg>
`;
}

/** lib/version.ts is one constant, and everything may know it. */
function withoutVersion(graph: Graph): Graph {
  return new Map(
    [...graph].map(([module, imports]) => [module, new Set([...imports].filter((to) => to !== "version"))]),
  );
}

function levelOf(graph: Graph, module: string): number {
  const below = [...(graph.get(module) ?? [])].map((to) => levelOf(graph, to));
  return below.length === 0 ? 0 : 1 + Math.max(...below);
}

/** The imports that no other import of the module leads to. */
function directImports(graph: Graph, module: string): readonly string[] {
  const imports = [...(graph.get(module) ?? [])].sort();
  return imports.filter((to) => !imports.some((other) => other !== to && reaches(graph, other, to)));
}

function reaches(graph: Graph, from: string, to: string): boolean {
  return [...(graph.get(from) ?? [])].some((next) => next === to || reaches(graph, next, to));
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Goes sideways between the first two rows and then straight down. */
function arrowPath(start: Place, end: Place): string {
  const x1 = start.x + box.width / 2;
  const x2 = end.x + box.width / 2;
  const y1 = start.y + box.height;
  const turn = y1 + (step.y - box.height);
  const bend = y1 + (step.y - box.height) / 2;
  const curve = `M${x1} ${y1}C${x1} ${bend} ${x2} ${bend} ${x2} ${turn}`;
  return end.y === turn ? curve : `${curve}V${end.y}`;
}

function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= maxLineChars)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  writeFileSync(join(root, pictureFile), drawModuleMap());
  process.stdout.write(`${pictureFile} is written\n`);
}
