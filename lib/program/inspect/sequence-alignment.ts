/**
 * Aligns two sequences of texts by a common subsequence.
 *
 * Up to `maxCells` it is the longest common subsequence. For longer sequences the texts that
 * occur once in each sequence are paired first, and the parts between them are aligned in the
 * same way.
 */

/** The size of the table for the longest common subsequence. */
const maxCells = 1_000_000;

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
  const middle = isLarge ? anchoredPairs(left, right) : longestPairs(left, right);
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

/** Pairs the texts that occur once in each sequence, and aligns what is between them. */
function anchoredPairs(left: readonly string[], right: readonly string[]): readonly (readonly [number, number])[] {
  const [inLeft, inRight] = [uniqueIndexes(left), uniqueIndexes(right)];
  const anchors = ascending(
    [...inLeft].flatMap(([text, i]) => {
      const j = inRight.get(text);
      return i === undefined || j === undefined ? [] : [[i, j] as const];
    }),
  );
  if (anchors.length === 0) return [];
  const pairs: (readonly [number, number])[] = [];
  let [i, j] = [0, 0];
  for (const [nextLeft, nextRight] of [...anchors, [left.length, right.length] as const]) {
    const between = commonPairs(left.slice(i, nextLeft), right.slice(j, nextRight));
    for (const [a, b] of between) pairs.push([i + a, j + b]);
    if (nextLeft < left.length) pairs.push([nextLeft, nextRight]);
    [i, j] = [nextLeft + 1, nextRight + 1];
  }
  return pairs;
}

/** The index of each text; undefined for one that occurs again. */
function uniqueIndexes(texts: readonly string[]): ReadonlyMap<string, number | undefined> {
  const indexes = new Map<string, number | undefined>();
  texts.forEach((text, i) => indexes.set(text, indexes.has(text) ? undefined : i));
  return indexes;
}

/** The longest part of the pairs whose second indexes ascend, by patience sorting; the first ones ascend already. */
function ascending(pairs: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  interface Card {
    readonly pair: readonly [number, number];
    readonly under: Card | undefined;
  }
  const tops: Card[] = [];
  for (const pair of pairs) {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tops[middle]?.pair[1] ?? 0) < pair[1]) low = middle + 1;
      else high = middle;
    }
    tops[low] = { pair, under: tops[low - 1] };
  }
  const found: (readonly [number, number])[] = [];
  for (let card = tops.at(-1); card !== undefined; card = card.under) found.push(card.pair);
  return found.toReversed();
}
