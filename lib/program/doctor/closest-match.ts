/**
 * Nearest: the word somebody meant.
 */

/** Undefined when none is near. */
export function closestMatch(word: string, known: readonly string[]): string | undefined {
  const near = known.map((one) => [distance(word, one), one] as const).filter(([steps]) => steps <= maxSteps);
  return near.sort(([left], [right]) => left - right)[0]?.[1];
}

const maxSteps = 3;

/** How many letters have to be changed, added or taken away. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const isSame = left[i - 1] === right[j - 1];
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
