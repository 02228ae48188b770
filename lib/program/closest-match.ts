/**
 * Finds the known word that a misspelt word most likely means, for "did you mean" hints.
 */

/** The known word that needs the fewest edits; undefined when every one needs more than `maxEdits`. */
export function closestMatch(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((one) => [editDistance(word, one), one] as const)
    .filter(([edits]) => edits <= allowedEdits(word));
  return near.sort(([left], [right]) => left - right)[0]?.[1];
}

const maxEdits = 3;

/** A short word has few letters in common with anything, so fewer edits count as near. */
function allowedEdits(word: string): number {
  return word.length < 4 ? 1 : Math.min(maxEdits, Math.max(2, Math.floor(word.length / 3)));
}

/** Levenshtein distance. */
function editDistance(left: string, right: string): number {
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
