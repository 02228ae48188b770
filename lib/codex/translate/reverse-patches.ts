/**
 * Computes the texts that files had before patches of Codex, from the patches.
 *
 * A file is restored only if its text is exactly what the patches made of it; any other text is
 * a conflict. A patch that created a file over an existing one does not contain the text of the
 * existing file, so that text cannot be restored. Pure, except for `read`.
 */
import type { FileChangeItem, FileUpdateChange } from "../protocol/index.ts";
import { withoutMoveNote } from "./calls/file-change.ts";
import { readHunks, side } from "./calls/hunks.ts";

/** The text of a file; null when there is no file. */
export type FileText = string | null;

export type ReversedPatches =
  | {
      readonly kind: "reversed";
      /** What to write, by absolute path. */
      readonly files: ReadonlyMap<string, FileText>;
      readonly insertions: number;
      readonly deletions: number;
    }
  /** The file is not what the patches made of it. */
  | { readonly kind: "conflict"; readonly path: string };

/** `patches`: oldest first. `read` gives the text that a file has now; undefined when it cannot be read as text. */
export function reversePatches(
  patches: readonly FileChangeItem[],
  read: (path: string) => FileText | undefined,
): ReversedPatches {
  const files = new Map<string, FileText>();
  const current = (path: string): FileText | undefined => (files.has(path) ? files.get(path) : read(path));
  let [insertions, deletions] = [0, 0];
  for (const change of patches.flatMap(({ changes }) => changes).toReversed()) {
    const target = change.kind.move_path ?? change.path;
    const before = textBefore(change, current(target));
    const isMoved = target !== change.path;
    if (before === undefined || (isMoved && current(change.path) !== null)) return { kind: "conflict", path: target };
    if (isMoved) files.set(target, null);
    files.set(change.path, before.text);
    insertions += before.insertions;
    deletions += before.deletions;
  }
  return { kind: "reversed", files, insertions, deletions };
}

interface TextBefore {
  readonly text: FileText;
  readonly insertions: number;
  readonly deletions: number;
}

/** Undefined when the text is not what the change has made. */
function textBefore(change: FileUpdateChange, now: FileText | undefined): TextBefore | undefined {
  const { kind, diff } = change;
  if (kind.type === "add") {
    return now === diff ? { text: null, insertions: 0, deletions: lineCount(diff) } : undefined;
  }
  if (kind.type === "delete") {
    return now === null ? { text: diff, insertions: lineCount(diff), deletions: 0 } : undefined;
  }
  if (now == null) return undefined;
  const changed = withoutMoveNote(change);
  // A file that was only moved.
  if (changed.trim() === "") return { text: now, insertions: 0, deletions: 0 };
  let text = now;
  let [insertions, deletions] = [0, 0];
  // From the end on: the lines of the hunks before stay where they are.
  for (const hunk of (readHunks(changed) ?? []).toReversed()) {
    const [old, made] = [side(hunk, "-"), side(hunk, "+")];
    const at = placeOf(text, made, hunk.newStart);
    if (at === undefined) return undefined;
    text = text.slice(0, at) + old + text.slice(at + made.length);
    insertions += hunk.lines.filter((line) => line.startsWith("-")).length;
    deletions += hunk.lines.filter((line) => line.startsWith("+")).length;
  }
  return insertions + deletions === 0 ? undefined : { text, insertions, deletions };
}

/** Where the lines are that a hunk has made: at their line, or at the only other place that has them. */
function placeOf(text: string, made: string, newStart: number): number | undefined {
  // The line number of an empty part is that of the line before it.
  const expected = lineOffset(text, made === "" ? newStart : newStart - 1);
  if (expected !== undefined && text.startsWith(made, expected)) return expected;
  if (made === "") return undefined;
  const first = indexOfLines(text, made, 0);
  return first === undefined || indexOfLines(text, made, first + 1) !== undefined ? undefined : first;
}

/** The next place at the beginning of a line. */
function indexOfLines(text: string, lines: string, from: number): number | undefined {
  for (let at = text.indexOf(lines, from); at >= 0; at = text.indexOf(lines, at + 1)) {
    if (at === 0 || text[at - 1] === "\n") return at;
  }
  return undefined;
}

/** The offset of a line, counted from 0; undefined when the text has fewer lines. */
function lineOffset(text: string, line: number): number | undefined {
  let at = 0;
  for (let i = 0; i < line; i++) {
    const end = text.indexOf("\n", at);
    if (end < 0) return undefined;
    at = end + 1;
  }
  return at;
}

function lineCount(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
