/**
 * Lists the places where two JSON values differ.
 */
import { isObject } from "../json.js";

/** `was` or `now` is undefined where only the other value has the place. @typedef {{ readonly path: string, readonly was: unknown, readonly now: unknown }} ChangedPlace */

/** Places listed of two values. */
export const maxPlaces = 200;

/** @param {unknown} was @param {unknown} now @returns {readonly ChangedPlace[]} */
export function changedPlaces(was, now) {
  /** @type {ChangedPlace[]} */
  const places = [];
  compare("", was, now, places);
  return places;
}

/** @param {string} path @param {unknown} was @param {unknown} now @param {ChangedPlace[]} places */
function compare(path, was, now, places) {
  if (places.length >= maxPlaces || Object.is(was, now)) return;
  if (!isObject(was) || !isObject(now) || Array.isArray(was) !== Array.isArray(now)) {
    places.push({ path, was, now });
    return;
  }
  for (const key of new Set([...Object.keys(was), ...Object.keys(now)])) {
    const place = path === "" ? key : `${path}.${key}`;
    compare(
      place,
      Object.hasOwn(was, key) ? was[key] : undefined,
      Object.hasOwn(now, key) ? now[key] : undefined,
      places,
    );
  }
}
