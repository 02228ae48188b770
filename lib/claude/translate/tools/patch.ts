/**
 * Turns the structured patch in a tool's result into diffs and locations, one per hunk.
 */
import { type Diff, location, type ToolCallLocation, toolContent } from "../../../acp/index.ts";
import {
  array,
  Fault,
  integer,
  items,
  object,
  type Schema,
  type Static,
  string,
  textIn,
} from "../../../schema/index.ts";
import type { Outcome } from "../tool-outcome.ts";
import { absolutePath, type ClientView } from "../../../display/index.ts";
import { type EndedCall, pathFields } from "./tool-family.ts";

const hunk = object({ newStart: integer(0), lines: array(string) });
export interface PatchHunk extends Static<typeof hunk> {}
const Hunks: Schema<readonly PatchHunk[]> = items(hunk);

export interface Patch {
  /** Absolute. */
  readonly path: string;
  /** Never empty. */
  readonly hunks: readonly PatchHunk[];
}

/** Undefined when the outcome contains no patch. */
export function patchOf({ input }: EndedCall, outcome: Outcome, view: ClientView): Patch | undefined {
  const path = textIn(input, ...pathFields);
  const hunks = Hunks.read(outcome.structured?.["structuredPatch"]);
  if (path === undefined || hunks instanceof Fault || hunks.length === 0) return undefined;
  return { path: absolutePath(path, view), hunks };
}

/** The diff of a hunk, with its context lines on both sides. */
export function hunkDiff(path: string, hunk: PatchHunk): Diff {
  return toolContent.diff(path, side(hunk, "-"), side(hunk, "+"));
}

function side({ lines }: PatchHunk, mark: "-" | "+"): string {
  let text = "";
  let isOnSide = false;
  for (const line of lines) {
    // `\ No newline at end of file` refers to the line before it.
    if (line.startsWith("\\")) text = isOnSide ? text.slice(0, -1) : text;
    else if ((isOnSide = line.startsWith(" ") || line.startsWith(mark))) text += `${line.slice(1)}\n`;
  }
  return text;
}

/** The location of the first change of a hunk, as a line of the new file. */
export function hunkPlace(path: string, { newStart, lines }: PatchHunk): ToolCallLocation {
  const context = lines.findIndex((line) => !line.startsWith(" "));
  const line = newStart + Math.max(0, context);
  return location(path, Math.min(Math.max(1, line), 2 ** 32 - 1));
}
