/**
 * Items: the lines of the list, from a recording and what a person wants of it.
 *
 * Rows are under their session and their turn, and the pieces of a stream are one
 * line until it is opened. What is searched for is never folded away.
 */

/** @typedef {import("./model.ts").Filter} Filter */
/** @typedef {import("./model.ts").Item} Item */
/** @typedef {import("./model.ts").MessageRow} Row */
/** @typedef {import("./model.ts").SessionModel} Session */
/** @typedef {import("./model.ts").TapeModel} Tape */
/** @typedef {Filter & { readonly shut: ReadonlySet<unknown>, readonly openRuns: ReadonlySet<Row> }} Wanted */

/** Fewer pieces are no stream. */
const minRun = 3;

/** Each line in lower case, made when it is first searched. @type {WeakMap<Row, string>} */
const lowered = new WeakMap();

/** @param {Row} row @param {Filter} filter */
export function isShown(row, { side, isBad, search }) {
  if (side !== "" && row.side !== side) return false;
  if (isBad && row.problems === undefined && !row.isError) return false;
  return search === "" || lowerLine(row).includes(search);
}

/** Whether all is shown that there is on a side. @param {Filter} filter */
export function isWide({ search, isBad }) {
  return search === "" && !isBad;
}

/** @param {Tape} tape @param {Wanted} wanted @returns {readonly Item[]} */
export function itemsOf(tape, wanted) {
  /** @type {Item[]} */
  const items = [];
  if (wanted.isFlat) {
    put(items, tape.rows, wanted);
    return items;
  }
  const lone = tape.rows.filter(({ session }) => session === undefined);
  if (lone.some((row) => isShown(row, wanted)))
    items.push({ kind: "session", key: "connection", name: "Connection", rows: lone });
  if (!wanted.shut.has("connection")) put(items, lone, wanted);
  let n = 0;
  for (const session of tape.sessions.values()) {
    n++;
    if (!session.rows.some((row) => isShown(row, wanted))) continue;
    const name = session.id === "" ? "Session" : `Session ${n}`;
    items.push({ kind: "session", key: session, name, rows: session.rows });
    if (!wanted.shut.has(session)) putSession(items, session, wanted);
  }
  return items;
}

/** How many rows the items stand for. @param {readonly Item[]} items */
export function countRows(items) {
  let count = 0;
  for (const item of items) {
    if (item.kind === "run") count += item.rows.length;
    if (item.kind === "row" && !item.isInner) count++;
  }
  return count;
}

/** The line that is as much as possible the same one. @param {readonly Item[]} items @param {Item} item */
export function sameItem(items, item) {
  const { one, key } = identity(item);
  const isSame = (/** @type {Item} */ other) => identity(other).one === one && identity(other).key === key;
  return items.find((other) => other.kind === item.kind && isSame(other)) ?? (one && items.find(isSame));
}

/** @param {Item} item @returns {{ one?: Row, key?: unknown }} */
function identity(item) {
  return item.kind === "row" || item.kind === "run" ? { one: item.one } : { key: item.key };
}

/** @param {Row} row */
function lowerLine(row) {
  let lower = lowered.get(row);
  if (lower === undefined) lowered.set(row, (lower = row.line.toLowerCase()));
  return lower;
}

/** The rows of a session, those of its turns under the turn's head. @param {Item[]} items @param {Session} session @param {Wanted} wanted */
function putSession(items, { rows }, wanted) {
  /** @type {Row[]} */
  let between = [];
  rows.forEach((row, i) => {
    const { turn } = row;
    if (turn === undefined) between.push(row);
    // A turn is put as a whole, where its rows begin.
    if (turn === undefined || rows[i - 1]?.turn === turn) return;
    put(items, between, wanted);
    between = [];
    if (!turn.rows.some((one) => isShown(one, wanted))) return;
    items.push({ kind: "turn", key: turn, name: `Turn ${turn.n}`, rows: turn.rows });
    if (!wanted.shut.has(turn) || !isWide(wanted)) put(items, turn.rows, wanted);
  });
  put(items, between, wanted);
}

/** @param {Item[]} items @param {readonly Row[]} rows @param {Wanted} wanted */
function put(items, rows, wanted) {
  let past = 0;
  rows.forEach((one, i) => {
    if (i < past || !isShown(one, wanted)) return;
    past = i + 1;
    if (one.family !== undefined && isWide(wanted)) while (rows[past]?.family === one.family) past++;
    if (past - i < minRun) {
      past = i + 1;
      items.push({ kind: "row", one, isInner: false });
      return;
    }
    const run = rows.slice(i, past).filter((row) => isShown(row, wanted));
    items.push({ kind: "run", one, rows: run });
    if (wanted.openRuns.has(one)) for (const inner of run) items.push({ kind: "row", one: inner, isInner: true });
  });
}
