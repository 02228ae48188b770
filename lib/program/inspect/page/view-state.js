/**
 * View: what a person has made of the page: filtered, folded, opened.
 *
 * Knows what is folded and not how it looks.
 */

/** @typedef {import("./model.ts").Foldable} Foldable */
/** @typedef {import("./model.ts").Item} Item */
/** @typedef {import("./model.ts").MessageRow} Row */
/** @typedef {import("./model.ts").TapeModel} Tape */
/** @typedef {import("./model.ts").TurnModel} Turn */
/** @typedef {import("./model.ts").ViewState} View */

/** A recording with more rows begins with its turns folded, unless it has but one. */
const maxUnfolded = 300;

/** @param {Tape} tape @returns {View} */
export function openingView(tape) {
  const turns = turnsOf(tape);
  /** @type {Set<Foldable>} */
  const shut = new Set(tape.rows.length > maxUnfolded && turns.length > 1 ? turns : []);
  const openRuns = new Set();
  return { search: "", side: "", isBad: false, isFlat: false, shut, openRuns, items: [], chosen: undefined };
}

/** Shuts or opens an item, by default the other way than it is. False when nothing changes. @param {View} view @param {Item} item @param {boolean} [isToBeShut] */
export function fold({ shut, openRuns }, item, isToBeShut) {
  if (item.kind === "row") return false;
  const isShut = item.kind === "run" ? !openRuns.has(item.one) : shut.has(item.key);
  if (isToBeShut === isShut) return false;
  if (item.kind === "run") flip(openRuns, item.one);
  else flip(shut, item.key);
  return true;
}

/** Shuts all turns, or opens them when all are shut. @param {View} view @param {Tape} tape */
export function foldTurns({ shut }, tape) {
  const turns = turnsOf(tape);
  const areShut = turns.every((turn) => shut.has(turn));
  for (const turn of turns) {
    if (areShut) shut.delete(turn);
    else shut.add(turn);
  }
}

/** Opens the session and the turn of a row. @param {View} view @param {Tape} tape @param {Row} row */
export function uncover({ shut }, tape, row) {
  const session = row.session === undefined ? "connection" : tape.sessions.get(row.session);
  if (session !== undefined) shut.delete(session);
  if (row.turn !== undefined) shut.delete(row.turn);
}

/** @param {Tape} tape @returns {readonly Turn[]} */
function turnsOf({ sessions }) {
  return [...sessions.values()].flatMap(({ turns }) => turns);
}

/** @template T @param {Set<T>} set @param {T} one */
function flip(set, one) {
  if (!set.delete(one)) set.add(one);
}
