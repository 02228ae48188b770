/**
 * Reads the hunks of a patch as Codex sends them: `@@ -1,2 +1,3 @@` without file headers.
 */
import { type Diff, location, type ToolCallLocation, toolContent } from "../../../acp/index.ts";

export interface CodexHunk {
  /** The first line of the hunk in the new file, counted from 1. */
  readonly newStart: number;
  readonly lines: readonly string[];
}

/** Undefined when the text is not a list of hunks. */
export function readHunks(diff: string): readonly CodexHunk[] | undefined {
  const hunks: { newStart: number; lines: string[] }[] = [];
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    const [, start] = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? [];
    if (start !== undefined) hunks.push({ newStart: Number(start), lines: [] });
    else if (/^[ +\-\\]/.test(line)) hunks.at(-1)?.lines.push(line);
    // Some programs cut the blank of an empty context line.
    else if (line === "") hunks.at(-1)?.lines.push(" ");
    else return undefined;
    if (hunks.length === 0) return undefined;
  }
  return hunks.length === 0 ? undefined : hunks;
}

/** The diff of a hunk, with its context lines on both sides. */
export function hunkDiff(path: string, hunk: CodexHunk): Diff {
  return toolContent.diff(path, side(hunk, "-"), side(hunk, "+"));
}

/** The location of the first change of a hunk, as a line of the new file. */
export function hunkPlace(path: string, { newStart, lines }: CodexHunk): ToolCallLocation {
  const context = lines.findIndex((line) => !line.startsWith(" "));
  return location(path, Math.min(Math.max(1, newStart + Math.max(0, context)), 2 ** 32 - 1));
}

/** One side of a hunk: the text before (`-`) or after (`+`) the change. */
export function side({ lines }: CodexHunk, mark: "-" | "+"): string {
  let text = "";
  let isOnSide = false;
  for (const line of lines) {
    // `\ No newline at end of file` refers to the line before it.
    if (line.startsWith("\\")) text = isOnSide ? text.slice(0, -1) : text;
    else if ((isOnSide = line.startsWith(" ") || line.startsWith(mark))) text += `${line.slice(1)}\n`;
  }
  return text;
}
