/**
 * Diff: two texts as the lines that differ, with a little of what is around them.
 */

export type DiffRow =
  | { readonly mark: " " | "-" | "+"; readonly line: number; readonly text: string }
  /** Lines that are the same in both. */
  | { readonly mark: "gap"; readonly count: number };

/** How many of the same lines are kept beside a change. */
const context = 2;
/** Comparing every line with every other costs their product; beyond this all is taken for changed. */
const maxProduct = 1_000_000;

interface LineChange {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** `place`: the line in the file where the first change is, if that is known. */
export function diffRows(oldText: string, newText: string, place: number | undefined): readonly DiffRow[] {
  const rows = compare(linesOf(oldText), linesOf(newText));
  const first = rows.findIndex(({ mark }) => mark !== " ");
  if (first === -1) return [];
  const start = Math.max(1, (place ?? 1) - first);
  let before = start;
  let after = start;
  const numbered = rows.map(({ mark, text }) => {
    const line = mark === "-" ? before : after;
    if (mark !== "+") before++;
    if (mark !== "-") after++;
    return { mark, text, line };
  });
  return numbered.flatMap((row, i): readonly DiffRow[] => {
    if (isNear(rows, i)) return [row];
    if (i > 0 && !isNear(rows, i - 1)) return [];
    const end = numbered.findIndex((_, at) => at > i && isNear(rows, at));
    return [{ mark: "gap", count: (end === -1 ? numbered.length : end) - i }];
  });
}

/** Lines as a person counts them: the last newline begins no other. */
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
  const gone = before.slice(head, before.length - tail);
  const come = after.slice(head, after.length - tail);
  const same = (text: string): LineChange => ({ mark: " ", text });
  const middle = gone.length * come.length > maxProduct ? replaced(gone, come) : aligned(gone, come);
  return [...before.slice(0, head).map(same), ...middle, ...before.slice(before.length - tail).map(same)];
}

function replaced(gone: readonly string[], come: readonly string[]): readonly LineChange[] {
  return [
    ...gone.map((text): LineChange => ({ mark: "-", text })),
    ...come.map((text): LineChange => ({ mark: "+", text })),
  ];
}

/** The longest common run of lines stays; what was before it goes, what is new comes. */
function aligned(gone: readonly string[], come: readonly string[]): readonly LineChange[] {
  const width = come.length + 1;
  const longest = new Uint32Array((gone.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = gone.length - 1; i >= 0; i--) {
    for (let j = come.length - 1; j >= 0; j--) {
      longest[i * width + j] = gone[i] === come[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const rows: LineChange[] = [];
  let i = 0;
  let j = 0;
  while (i < gone.length || j < come.length) {
    if (i < gone.length && j < come.length && gone[i] === come[j]) {
      rows.push({ mark: " ", text: gone[i] ?? "" });
      i++;
      j++;
    } else if (j === come.length || (i < gone.length && at(i + 1, j) >= at(i, j + 1))) {
      rows.push({ mark: "-", text: gone[i++] ?? "" });
    } else rows.push({ mark: "+", text: come[j++] ?? "" });
  }
  return rows;
}
