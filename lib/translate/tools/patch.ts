/**
 * Patches: the CLI's structured patch as diffs, one for each hunk.
 */
import { type Diff, location, type ToolCallLocation, toolContent } from "../../acp/index.ts";
import { array, Fault, integer, items, object, type Schema, type Static, string } from "../../schema/index.ts";

const hunk = object({ newStart: integer(0), lines: array(string) });
export interface Hunk extends Static<typeof hunk> {}
const Hunks: Schema<readonly Hunk[]> = items(hunk);

export function readHunks(structuredPatch: unknown): readonly Hunk[] {
  const hunks = Hunks.read(structuredPatch);
  return hunks instanceof Fault ? [] : hunks;
}

/** A hunk with its lines of context, before and after. */
export function hunkDiff(path: string, { lines }: Hunk): Diff {
  const side = (mark: string): string => {
    const kept = lines.filter((line) => line.startsWith(" ") || line.startsWith(mark)).map((line) => line.slice(1));
    return kept.length === 0 ? "" : `${kept.join("\n")}\n`;
  };
  return toolContent.diff(path, side("-"), side("+"));
}

/** Where a hunk's first change is, as a line of the new file. */
export function hunkPlace(path: string, { newStart, lines }: Hunk): ToolCallLocation {
  const context = lines.findIndex((line) => !line.startsWith(" "));
  return location(path, Math.max(1, newStart + Math.max(0, context)));
}
