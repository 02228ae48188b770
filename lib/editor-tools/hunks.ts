/**
 * Builds unified diff hunks from the changes of a text, in the form of the
 * `structuredPatch` that the CLI's own tools report.
 */
import type { Change } from "./text-edit.ts";

export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

const contextLines = 3;

/** `changes` must be in order and must not overlap. */
export function patchOf(text: string, changes: readonly Change[]): readonly Hunk[] {
  const starts = lineStarts(text);
  const hunks: Hunk[] = [];
  let added = 0;
  for (const group of groupsOf(changes, starts)) {
    const from = Math.max(0, lineAt(starts, group[0]?.start ?? 0) - contextLines);
    const to = Math.min(starts.length, lineAt(starts, group.at(-1)?.end ?? 0) + contextLines + 1);
    const begin = starts[from] ?? 0;
    const end = starts[to] ?? text.length;
    const before = splitLines(text.slice(begin, end));
    const after = splitLines(replaced(text, begin, end, group));
    hunks.push({
      oldStart: from + 1,
      oldLines: before.length,
      newStart: from + 1 + added,
      newLines: after.length,
      lines: markLines(before, after),
    });
    added += after.length - before.length;
  }
  return hunks;
}

/** Groups changes whose context lines touch or overlap; each group becomes one hunk. */
function groupsOf(changes: readonly Change[], starts: readonly number[]): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  let lastLine = -Infinity;
  for (const change of changes) {
    const line = lineAt(starts, change.start);
    if (line - lastLine > 2 * contextLines) groups.push([change]);
    else groups.at(-1)?.push(change);
    lastLine = lineAt(starts, change.end);
  }
  return groups;
}

function replaced(text: string, begin: number, end: number, changes: readonly Change[]): string {
  let result = "";
  let at = begin;
  for (const change of changes) {
    result += text.slice(at, change.start) + change.text;
    at = change.end;
  }
  return result + text.slice(at, end);
}

/** The lines of a hunk with their marks. Equal lines at the beginning and the end are context. */
function markLines(before: readonly string[], after: readonly string[]): readonly string[] {
  const maxCommon = Math.min(before.length, after.length);
  let head = 0;
  while (head < maxCommon && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < maxCommon - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return [
    ...before.slice(0, head).flatMap((line) => markLine(" ", line)),
    ...before.slice(head, before.length - tail).flatMap((line) => markLine("-", line)),
    ...after.slice(head, after.length - tail).flatMap((line) => markLine("+", line)),
    ...before.slice(before.length - tail).flatMap((line) => markLine(" ", line)),
  ];
}

function markLine(mark: string, line: string): readonly string[] {
  return line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, "\\ No newline at end of file"];
}

/** Lines with their newline, so that a last line without a newline differs from one with it. */
function splitLines(text: string): readonly string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0 && at + 1 < text.length; at = text.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}

/** The index of the line that contains an offset, by binary search. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
