/**
 * The state of the view: filters, folded sessions and turns, open runs, selection.
 *
 * Knows what is folded, not how it is drawn.
 */

/** @typedef {import("./recording/model.ts").Foldable} Foldable */
/** @typedef {import("./recording/model.ts").Item} Item */
/** @typedef {import("./recording/model.ts").MessageRow} Row */
/** @typedef {import("./recording/model.ts").TapeModel} Tape */
/** @typedef {import("./recording/model.ts").TurnModel} Turn */
/** @typedef {import("./recording/model.ts").ViewState} View */

/** A recording with more rows and several turns starts with its turns folded. */
const maxUnfolded = 300;

/** The filters that show every row. @satisfies {Omit<import("./recording/model.ts").Filter, "isFlat">} */
export const noFilter = /** @type {const} */ ({
  search: "",
  matches: undefined,
  side: "",
  session: undefined,
  kind: "",
  isBad: false,
  isDiff: false,
});

/** @param {Tape} tape @returns {View} */
export function openingView(tape) {
  const turns = turnsOf(tape);
  /** @type {Set<Foldable>} */
  const shut = new Set(tape.rows.length > maxUnfolded && turns.length > 1 ? turns : []);
  const openRuns = new Set();
  return { ...noFilter, isFlat: false, shut, openRuns, items: [], chosen: undefined, isLatency: false };
}

/** Folds or unfolds an item; toggles without `isToBeShut`. False when nothing changes. @param {View} view @param {Item} item @param {boolean} [isToBeShut] */
export function fold({ shut, openRuns }, item, isToBeShut) {
  if (item.kind === "row") return false;
  const isShut = item.kind === "run" ? !openRuns.has(item.one) : shut.has(item.key);
  if (isToBeShut === isShut) return false;
  if (item.kind === "run") toggle(openRuns, item.one);
  else toggle(shut, item.key);
  return true;
}

/** Folds all turns, or unfolds them when all are folded. @param {View} view @param {Tape} tape */
export function foldTurns({ shut }, tape) {
  const turns = turnsOf(tape);
  const areShut = turns.every((turn) => shut.has(turn));
  for (const turn of turns) {
    if (areShut) shut.delete(turn);
    else shut.add(turn);
  }
}

/** Unfolds the session and the turn of a row. @param {View} view @param {Tape} tape @param {Row} row */
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
function toggle(set, one) {
  if (!set.delete(one)) set.add(one);
}
