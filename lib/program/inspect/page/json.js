/**
 * Access to fields of values of unknown shape.
 *
 * A path that does not exist gives undefined, whatever the value is.
 */

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** The value at a path. @param {unknown} value @param {...string} path @returns {unknown} */
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
