/**
 * Finds the rows whose lines contain a text, in any case.
 */

/** @typedef {import("./model.ts").MessageRow} Row */

/** @param {readonly Row[]} rows @param {string} search In lower case. */
export function matchesOf(rows, search) {
  return new Set(rows.filter((row) => isMatch(row, search)));
}

/**
 * Searches in slices. Gives undefined when `isStale` says that another search began.
 * @param {readonly Row[]} rows @param {string} search In lower case. @param {{ readonly isDue: boolean, next(): Promise<void> }} pauses @param {() => boolean} isStale
 */
export async function findMatches(rows, search, pauses, isStale) {
  /** @type {Set<Row>} */
  const matches = new Set();
  for (const row of rows) {
    if (isMatch(row, search)) matches.add(row);
    if (!pauses.isDue) continue;
    await pauses.next();
    if (isStale()) return undefined;
  }
  return matches;
}

/** @param {Row} row @param {string} search */
function isMatch({ line }, search) {
  return line.toLowerCase().includes(search);
}
