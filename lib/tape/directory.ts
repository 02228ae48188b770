/**
 * Directory: a tape as if it had been recorded in another directory.
 *
 * The directory is replaced in every line, and also where a stream has cut it into
 * pieces: those are joined, replaced and cut again at the same places.
 */
import { endedBy, type Piece, pieceOf } from "./pieces.ts";
import { isFields, parseJson } from "./rows.ts";
import type { Tape, TapeRow } from "./tape.ts";

export function inDirectory(tape: Tape, cwd: string): Tape {
  return tape.cwd === undefined || tape.cwd === cwd ? tape : { cwd, rows: renamed(tape.rows, tape.cwd, cwd) };
}

/** Rows in which one directory has another's name. */
export function renamed<R extends TapeRow>(rows: readonly R[], from: string, to: string): readonly R[] {
  const changed = rows.map((row) =>
    row.kind === "said" ? { ...row, line: swap(row.line, inJson(from), inJson(to)) } : row,
  );
  for (const pieces of streams(rows)) {
    const isJson = pieces[0]?.[1].isJson === true;
    const joined = pieces.map(([, { words }]) => words).join("");
    const replaced = isJson ? swap(joined, inJson(from), inJson(to)) : swap(joined, from, to);
    if (replaced === joined) continue;
    let start = 0;
    pieces.forEach(([index, { words, put }], i) => {
      const stop = i === pieces.length - 1 ? replaced.length : start + words.length;
      const row = changed[index];
      if (row?.kind === "said") changed[index] = { ...row, line: JSON.stringify(put(replaced.slice(start, stop))) };
      start = stop;
    });
  }
  return changed;
}

/** The pieces of each stream, in order, and the rows they are in. */
function streams(rows: readonly TapeRow[]): readonly (readonly (readonly [row: number, piece: Piece])[])[] {
  const all: (readonly [number, Piece])[][] = [];
  const open = new Map<string, (readonly [number, Piece])[]>();
  for (const [i, row] of rows.entries()) {
    const message = row.kind === "said" && isStreamed.test(row.line) ? parseJson(row.line) : undefined;
    if (!isFields(message)) continue;
    const piece = pieceOf(message);
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

function swap(text: string, from: string, to: string): string {
  return text.replaceAll(from, to);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
