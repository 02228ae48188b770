/**
 * Line diff of two texts, with three lines of context around each change.
 */

export type DiffRow =
  | { readonly mark: " " | "-" | "+"; readonly old: number; readonly now: number; readonly text: string }
  /** Unchanged lines that are left out. */
  | { readonly mark: "gap"; readonly count: number };

/** Unchanged lines shown before and after a change. */
const context = 3;
/** The comparison costs the product of the line counts; beyond this every line counts as changed. */
const maxProduct = 1_000_000;

interface LineChange {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/**
 * `place`: the line number of the first change in the new file, if known. `shift`: how many lines the changes
 * above it have added. `old` and `now` are the line numbers in both files; of an added line only `now` counts, of a
 * removed one only `old`.
 */
export function diffRows(
  oldText: string,
  newText: string,
  place: number | undefined,
  shift: number = 0,
): readonly DiffRow[] {
  const rows = compare(linesOf(oldText), linesOf(newText));
  const first = rows.findIndex(({ mark }) => mark !== " ");
  if (first === -1) return [];
  const start = Math.max(1, (place ?? 1) - first);
  let old = Math.max(1, start - shift);
  let now = start;
  const numbered = rows.map(({ mark, text }) => {
    const row = { mark, text, old, now };
    if (mark !== "+") old++;
    if (mark !== "-") now++;
    return row;
  });
  return numbered.flatMap((row, i): readonly DiffRow[] => {
    if (isNear(rows, i)) return [row];
    if (i > 0 && !isNear(rows, i - 1)) return [];
    const end = numbered.findIndex((_, at) => at > i && isNear(rows, at));
    return [{ mark: "gap", count: (end === -1 ? numbered.length : end) - i }];
  });
}

/** Splits into lines; a final newline does not start another line. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function isNear(rows: readonly LineChange[], i: number): boolean {
  return rows.slice(Math.max(0, i - context), i + context + 1).some(({ mark }) => mark !== " ");
}

function compare(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const removed = before.slice(head, before.length - tail);
  const added = after.slice(head, after.length - tail);
  const same = (text: string): LineChange => ({ mark: " ", text });
  const middle = removed.length * added.length > maxProduct ? replaced(removed, added) : aligned(removed, added);
  return [...before.slice(0, head).map(same), ...middle, ...before.slice(before.length - tail).map(same)];
}

function replaced(removed: readonly string[], added: readonly string[]): readonly LineChange[] {
  return [
    ...removed.map((text): LineChange => ({ mark: "-", text })),
    ...added.map((text): LineChange => ({ mark: "+", text })),
  ];
}

/** Diff by the longest common subsequence of lines. */
function aligned(removed: readonly string[], added: readonly string[]): readonly LineChange[] {
  const width = added.length + 1;
  const longest = new Uint32Array((removed.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = removed.length - 1; i >= 0; i--) {
    for (let j = added.length - 1; j >= 0; j--) {
      longest[i * width + j] = removed[i] === added[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const rows: LineChange[] = [];
  let i = 0;
  let j = 0;
  while (i < removed.length || j < added.length) {
    if (i < removed.length && j < added.length && removed[i] === added[j]) {
      rows.push({ mark: " ", text: removed[i] ?? "" });
      i++;
      j++;
    } else if (j === added.length || (i < removed.length && at(i + 1, j) >= at(i, j + 1))) {
      rows.push({ mark: "-", text: removed[i++] ?? "" });
    } else rows.push({ mark: "+", text: added[j++] ?? "" });
  }
  return rows;
}
