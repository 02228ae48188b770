/**
 * JSON: looking into values nobody vouches for.
 *
 * What is not there is undefined, whatever it is that it is not in.
 */

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** What is at the end of a path. @param {unknown} value @param {...string} path @returns {unknown} */
export function at(value, ...path) {
  let found = value;
  for (const key of path) {
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

/** @param {unknown} value @returns {readonly unknown[]} */
export function listOf(value) {
  return Array.isArray(value) ? value : [];
}
