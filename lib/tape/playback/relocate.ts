/**
 * Rewrites a tape as if it had been recorded in another directory.
 *
 * Replaces the directory in every line, also where streaming has split it over several
 * fragments: those are joined, replaced, and split again at the same positions.
 */
import { parseJson } from "../../wire/index.ts";
import { endedBy, type StreamFragment, fragmentOf } from "../scrub/stream-fragments.ts";
import { isFields } from "../tape-rows.ts";
import type { Tape } from "../claude-tape.ts";

interface RowWithLine {
  readonly atMs: number;
  readonly line?: string;
}

/** The tape as if it had been recorded in another directory. */
export function relocate(tape: Tape, cwd: string): Tape {
  const { cwd: recorded, rows } = tape;
  return recorded === undefined || recorded === cwd ? tape : { cwd, rows: renamed(rows, recorded, cwd) };
}

/** The rows with directory `from` replaced by `to` in their lines. */
export function renamed<R extends RowWithLine>(rows: readonly R[], from: string, to: string): readonly R[] {
  const inText = (text: string): string => text.replaceAll(from, to);
  const inJson = (text: string): string => text.replaceAll(quoted(from), quoted(to));
  const changed = rows.map((row) => (row.line === undefined ? row : { ...row, line: inJson(row.line) }));
  for (const fragments of streams(rows)) {
    const isJson = fragments[0]?.[1].isJson === true;
    const joined = fragments.map(([, { words }]) => words).join("");
    const replaced = isJson ? inJson(joined) : inText(joined);
    if (replaced === joined) continue;
    let start = 0;
    fragments.forEach(([index, { words, put }], i) => {
      const stop = i === fragments.length - 1 ? replaced.length : start + words.length;
      const row = changed[index];
      if (row !== undefined) changed[index] = { ...row, line: JSON.stringify(put(replaced.slice(start, stop))) };
      start = stop;
    });
  }
  return changed;
}

/** The fragments of each stream, in order, with the indexes of their rows. */
function streams(rows: readonly RowWithLine[]): readonly (readonly (readonly [number, StreamFragment])[])[] {
  const all: (readonly [number, StreamFragment])[][] = [];
  const open = new Map<string, (readonly [number, StreamFragment])[]>();
  for (const [i, { line }] of rows.entries()) {
    const message = line !== undefined && isStreamed.test(line) ? parseJson(line) : undefined;
    if (!isFields(message)) continue;
    const fragment = fragmentOf(message);
    if (fragment === undefined) {
      // Each message numbers its blocks from 0 again, so an ended stream's name is reused.
      const ended = endedBy(message);
      for (const name of open.keys()) if (ended !== undefined && name.startsWith(ended)) open.delete(name);
      continue;
    }
    const fragments = open.get(fragment.stream) ?? [];
    if (fragments.length === 0) all.push(fragments);
    open.set(fragment.stream, fragments);
    fragments.push([i, fragment]);
  }
  return all;
}

/** A cheap test, so that most lines need not be parsed. */
const isStreamed = /"content_block_|"session\/update"|"item\//;

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
