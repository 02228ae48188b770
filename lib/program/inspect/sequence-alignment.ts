/**
 * Aligns two sequences of texts by their common subsequence.
 *
 * The longest one up to `maxCells`; beyond it, each text is paired with the next equal one
 * within `windowLength`, so the time grows with the length only.
 */

/** The size of the table for the longest common subsequence. */
const maxCells = 16_000_000;
const windowLength = 200;

/** The indexes of equal texts, ascending in both sequences. */
export function commonPairs(
  before: readonly string[],
  after: readonly string[],
): readonly (readonly [number, number])[] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const [left, right] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const isLarge = (left.length + 1) * (right.length + 1) > maxCells;
  const middle = isLarge ? nearPairs(left, right) : longestPairs(left, right);
  return [
    ...Array.from({ length: head }, (_, i) => [i, i] as const),
    ...middle.map(([i, j]) => [head + i, head + j] as const),
    ...Array.from({ length: tail }, (_, i) => [before.length - tail + i, after.length - tail + i] as const),
  ];
}

function longestPairs(left: readonly string[], right: readonly string[]): readonly (readonly [number, number])[] {
  const width = right.length + 1;
  /** The length of the longest common subsequence from i and j on. */
  const lengths = new Uint32Array((left.length + 1) * width);
  const lengthAt = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        left[i] === right[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    if (left[i] === right[j]) pairs.push([i++, j++]);
    else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

function nearPairs(left: readonly string[], right: readonly string[]): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  let j = 0;
  left.forEach((text, i) => {
    const end = Math.min(right.length, j + windowLength);
    for (let at = j; at < end; at++) {
      if (right[at] !== text) continue;
      pairs.push([i, at]);
      j = at + 1;
      return;
    }
  });
  return pairs;
}
