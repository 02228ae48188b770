/**
 * Directory: a tape as if it had been recorded in another directory.
 *
 * The directory is replaced in every line, and also where a stream has cut it into
 * pieces: those are joined, replaced and cut again at the same places.
 */
import { parseJson } from "../wire/index.ts";
import { endedBy, type StreamFragment, fragmentOf } from "./stream-fragments.ts";
import { isFields } from "./tape-rows.ts";
import type { Tape } from "./claude-tape.ts";

interface Lined {
  readonly atMs: number;
  readonly line?: string;
}

export function relocate(tape: Tape, cwd: string): Tape {
  const { cwd: recorded, rows } = tape;
  return recorded === undefined || recorded === cwd ? tape : { cwd, rows: renamed(rows, recorded, cwd) };
}

/** Rows in whose lines one directory has another's name. */
export function renamed<R extends Lined>(rows: readonly R[], from: string, to: string): readonly R[] {
  const inText = (text: string): string => text.replaceAll(from, to);
  const inJson = (text: string): string => text.replaceAll(quoted(from), quoted(to));
  const changed = rows.map((row) => (row.line === undefined ? row : { ...row, line: inJson(row.line) }));
  for (const pieces of streams(rows)) {
    const isJson = pieces[0]?.[1].isJson === true;
    const joined = pieces.map(([, { words }]) => words).join("");
    const replaced = isJson ? inJson(joined) : inText(joined);
    if (replaced === joined) continue;
    let start = 0;
    pieces.forEach(([index, { words, put }], i) => {
      const stop = i === pieces.length - 1 ? replaced.length : start + words.length;
      const row = changed[index];
      if (row !== undefined) changed[index] = { ...row, line: JSON.stringify(put(replaced.slice(start, stop))) };
      start = stop;
    });
  }
  return changed;
}

/** The pieces of each stream, in order, and the rows they are in. */
function streams(rows: readonly Lined[]): readonly (readonly (readonly [number, StreamFragment])[])[] {
  const all: (readonly [number, StreamFragment])[][] = [];
  const open = new Map<string, (readonly [number, StreamFragment])[]>();
  for (const [i, { line }] of rows.entries()) {
    const message = line !== undefined && isStreamed.test(line) ? parseJson(line) : undefined;
    if (!isFields(message)) continue;
    const piece = fragmentOf(message);
    if (piece === undefined) {
      // Blocks are counted anew in each message.
      const ended = endedBy(message);
      for (const name of open.keys()) if (ended !== undefined && name.startsWith(ended)) open.delete(name);
      continue;
    }
    const pieces = open.get(piece.stream) ?? [];
    if (pieces.length === 0) all.push(pieces);
    open.set(piece.stream, pieces);
    pieces.push([i, piece]);
  }
  return all;
}

/** Spares most lines the parsing. */
const isStreamed = /"content_block_|"session\/update"/;

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
