/**
 * Directory: a tape as if it had been recorded in another directory.
 *
 * The directory is replaced in every line, and also where a stream has cut it into
 * pieces: those are joined, replaced and cut again at the same places.
 */
import { isFields, type Tape, type TapeRow } from "./tape.ts";

/** Where a delta keeps its words. */
const wordFields: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
};

interface Piece {
  readonly row: number;
  readonly line: Readonly<Record<string, unknown>>;
  readonly event: Readonly<Record<string, unknown>>;
  readonly delta: Readonly<Record<string, unknown>>;
  readonly field: string;
  readonly words: string;
}

export function inDirectory(tape: Tape, cwd: string): Tape {
  const recorded = tape.cwd;
  if (recorded === undefined || recorded === cwd) return tape;
  const rows: TapeRow[] = tape.rows.map((row) =>
    row.kind === "said" ? { ...row, line: row.line.replaceAll(inJson(recorded), inJson(cwd)) } : row,
  );
  for (const pieces of streamedBlocks(tape.rows)) {
    const isJson = pieces[0]?.field === "partial_json";
    const joined = pieces.map(({ words }) => words).join("");
    const replaced = isJson ? joined.replaceAll(inJson(recorded), inJson(cwd)) : joined.replaceAll(recorded, cwd);
    if (replaced === joined) continue;
    let from = 0;
    pieces.forEach(({ row, line, event, delta, field, words }, i) => {
      const to = i === pieces.length - 1 ? replaced.length : from + words.length;
      const changed = { ...line, event: { ...event, delta: { ...delta, [field]: replaced.slice(from, to) } } };
      rows[row] = { kind: "said", atMs: tape.rows[row]?.atMs ?? 0, line: JSON.stringify(changed) };
      from = to;
    });
  }
  return { cwd, rows };
}

/** The deltas of each block, in order. */
function streamedBlocks(rows: readonly TapeRow[]): readonly (readonly Piece[])[] {
  const blocks: Piece[][] = [];
  const open = new Map<unknown, Piece[]>();
  for (const [row, said] of rows.entries()) {
    if (said.kind !== "said" || !said.line.includes('"content_block_')) continue;
    const line: unknown = JSON.parse(said.line);
    const event = isFields(line) ? line["event"] : undefined;
    if (!isFields(line) || !isFields(event)) continue;
    const { type, index, delta } = event;
    if (type === "content_block_start") {
      const pieces: Piece[] = [];
      open.set(index, pieces);
      blocks.push(pieces);
    }
    const field = isFields(delta) ? wordFields[String(delta["type"])] : undefined;
    if (type !== "content_block_delta" || !isFields(delta) || field === undefined) continue;
    open.get(index)?.push({ row, line, event, delta, field, words: String(delta[field]) });
  }
  return blocks.filter((pieces) => pieces.length > 0);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
