/**
 * Tool call: what the agent does, as lines: a mark, its title, and below it the diff
 * or the output, no more of either than a person wants to scroll past.
 */
import type { Diff, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate, ToolKind } from "../../acp/index.ts";
import { diffRows, linesOf } from "./diff.ts";
import { harmless, harmlessLine, harmlessOutput } from "./harmless.ts";
import type { Look } from "./look.ts";
import { cut, wrap } from "./width.ts";

export interface Call {
  readonly id: string;
  readonly title: string;
  readonly kind: ToolKind;
  readonly status: ToolCallStatus;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
  /** Called by another, such as a subagent. */
  readonly isInner: boolean;
  readonly startedAtMs: number;
  /** What it changes was shown already, with the question whether it may. */
  readonly isShown: boolean;
  /** Its turn ended before it did. */
  readonly isLeft: boolean;
}

export const maxDiffRows = 40;
const maxOutputRows = 12;
const maxTextRows = 6;

/** A call with what has become known of it. */
export function changed(call: Call | undefined, update: ToolCallUpdate, nowMs: number): Call {
  const { toolCallId: id, title, kind, status, content, locations, _meta } = update;
  const claude = _meta?.["claudeCode"];
  return {
    id,
    title: title ?? call?.title ?? id,
    kind: kind ?? call?.kind ?? "other",
    status: status ?? call?.status ?? "pending",
    content: content ?? call?.content ?? [],
    locations: locations ?? call?.locations ?? [],
    isInner: call?.isInner ?? (typeof claude === "object" && claude !== null && "parentToolUseId" in claude),
    startedAtMs: call?.startedAtMs ?? nowMs,
    isShown: call?.isShown ?? false,
    isLeft: call?.isLeft ?? false,
  };
}

export function isOver({ status }: Call): boolean {
  return status === "completed" || status === "failed";
}

/** The call in one line, without its mark. */
export function titleOf({ title }: Call): string {
  return harmlessLine(title);
}

/** A call that has come to its end, or will not be looked at any longer. */
export function callLines(call: Call, look: Look): readonly string[] {
  const { paint, glyphs } = look;
  const margin = call.isInner ? "  " : "";
  const isFailed = call.status === "failed";
  const mark = isFailed ? paint.red(glyphs.failed) : isOver(call) ? paint.green(glyphs.done) : paint.yellow(glyphs.doing);
  const head = wrap(`${margin}${mark} ${titleOf(call)}`, look.columns(), `${margin}  `);
  const body = call.isShown && !isFailed && call.kind !== "execute" ? [] : bodyLines(call, look);
  return [...head, ...body.map((line) => margin + line)];
}

/** What is to be done, whole enough to decide about it. */
export function proposalLines(call: Call, look: Look): readonly string[] {
  return bodyLines({ ...call, kind: call.kind === "execute" ? "execute" : "edit" }, look);
}

function bodyLines(call: Call, look: Look): readonly string[] {
  let diffs = 0;
  return call.content.flatMap((part) => {
    if (part.type === "diff") {
      if (call.isShown) return [];
      return diffLines(part, call.locations[diffs++]?.line ?? undefined, look);
    }
    return part.type === "content" && part.content.type === "text" ? textLines(part.content.text, call, look) : [];
  });
}

/** Lines with their numbers: gone in red, come in green. */
function diffLines({ path, oldText, newText }: Diff, place: number | undefined, look: Look): readonly string[] {
  const { paint, glyphs, columns } = look;
  const rows = diffRows(oldText ?? "", newText, place);
  const shown = rows.slice(0, maxDiffRows);
  const lines = shown.flatMap((row) => {
    if (row.mark === "gap") return [`      ${paint.dim(glyphs.more)}`];
    const start = `${String(row.line).padStart(6)} ${row.mark} `;
    const text = harmless(row.text).replaceAll("\n", " ");
    if (row.mark === " ") return wrap(paint.dim(start + text), columns(), "         ");
    const brush = row.mark === "+" ? paint.green : paint.red;
    return wrap(paint.dim(start.slice(0, 7)) + brush(start.slice(7) + text), columns(), "         ");
  });
  if (rows.length === 0) lines.push(`  ${paint.dim(`${shortPath(path, look)} stays as it is`)}`);
  return [...lines, ...more(rows.length - shown.length, look)];
}

/** Of a command's output the end counts, of other text the beginning; what was read is only counted. */
function textLines(text: string, { kind, status }: Call, look: Look): readonly string[] {
  const lines = linesOf(unfenced(kind === "execute" ? harmlessOutput(text) : harmless(text)).trimEnd());
  if (lines.every((line) => line.trim() === "")) return [];
  const isQuiet = status !== "failed" && (kind === "read" || kind === "search" || kind === "fetch");
  if (isQuiet) return [`  ${look.paint.dim(lines.length === 1 ? "1 line" : `${lines.length} lines`)}`];
  const show = (line: string): string => `  ${look.paint.dim(cut(line, look.columns() - 2, look.glyphs.more))}`;
  if (kind === "execute") {
    const shown = lines.slice(-maxOutputRows);
    return [...more(lines.length - shown.length, look), ...shown.map(show)];
  }
  const shown = lines.slice(0, status === "failed" ? maxOutputRows : maxTextRows);
  return [...shown.map(show), ...more(lines.length - shown.length, look)];
}

function more(count: number, { paint, glyphs }: Look): readonly string[] {
  return count <= 0 ? [] : [`  ${paint.dim(`${glyphs.more} ${count} more ${count === 1 ? "line" : "lines"}`)}`];
}

function shortPath(path: string, { cwd }: Look): string {
  return harmlessLine(path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path);
}

/** Without the fence that is around all of it. */
function unfenced(text: string): string {
  return /^(`{3,})[^\n]*\n([^]*?)\n?\1\s*$/.exec(text)?.[2] ?? text;
}
