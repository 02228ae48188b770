/**
 * Computes the lines of the message list from a recording and the user's filters.
 *
 * Rows are grouped by session and turn, and the chunks of one stream are one line until
 * the user opens it. Matches of a search are never folded.
 */

/** @typedef {import("../recording/model.ts").Filter} Filter */
/** @typedef {import("../recording/model.ts").Item} Item */
/** @typedef {import("../recording/model.ts").MessageRow} Row */
/** @typedef {import("../recording/model.ts").SessionModel} Session */
/** @typedef {import("../recording/model.ts").TapeModel} Tape */
/** @typedef {Filter & { readonly shut: ReadonlySet<unknown>, readonly openRuns: ReadonlySet<Row> }} Wanted */

/** Fewer consecutive chunks are shown as single rows. */
const minRun = 3;

/** @param {Row} row @param {Filter} filter */
export function isShown(row, { side, session, kind, isBad, isDiff, matches }) {
  if (side !== "" && row.side !== side) return false;
  if (session !== undefined && row.session !== (session === "connection" ? undefined : session.id)) return false;
  if (kind !== "" && row.kind !== kind) return false;
  if (isBad && row.problems === undefined && !row.isError) return false;
  if (isDiff && row.diff === undefined) return false;
  return matches === undefined || matches.has(row);
}

/** Whether every row is shown. @param {Filter} filter */
export function isUnfiltered({ side, session, kind, isBad, isDiff, matches }) {
  return side === "" && session === undefined && kind === "" && !isBad && !isDiff && matches === undefined;
}

/** Whether streams are shown as one line: no single row is looked for. @param {Filter} filter */
function joinsStreams({ matches, isBad }) {
  return matches === undefined && !isBad;
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
  for (const [session, name] of namedSessions(tape)) {
    if (!session.rows.some((row) => isShown(row, wanted))) continue;
    items.push({ kind: "session", key: session, name, rows: session.rows });
    if (!wanted.shut.has(session)) putSession(items, session, wanted);
  }
  return items;
}

/** The sessions with the names that the page gives them. @param {Tape} tape @returns {readonly (readonly [session: Session, name: string])[]} */
export function namedSessions(tape) {
  let n = 0;
  return [...tape.sessions.values()].map((session) => {
    if (isWaitingCli(session, tape)) return [session, "CLI that waits for a session"];
    n++;
    return [session, session.id === "" ? "Session" : `Session ${n}`];
  });
}

/** Whether this is a CLI that was started ahead: the editor's side was recorded, and has nothing about it. @param {Session} session @param {Tape} tape */
function isWaitingCli({ rows, turns }, { sides }) {
  return sides.has("acp") && turns.length === 0 && rows.every(({ side }) => side !== "acp");
}

/** The number of rows the items represent. @param {readonly Item[]} items */
export function countRows(items) {
  let count = 0;
  for (const item of items) {
    if (item.kind === "run") count += item.rows.length;
    if (item.kind === "row" && !item.isInner) count++;
  }
  return count;
}

/** Finds an item again after the list was rebuilt; a row may have become a run, or a run a row. @param {readonly Item[]} items @param {Item} item */
export function sameItem(items, item) {
  const { one, key } = identity(item);
  const isSame = (/** @type {Item} */ other) => identity(other).one === one && identity(other).key === key;
  return items.find((other) => other.kind === item.kind && isSame(other)) ?? (one && items.find(isSame));
}

/** @param {Item} item @returns {{ one?: Row, key?: unknown }} */
function identity(item) {
  return item.kind === "row" || item.kind === "run" ? { one: item.one } : { key: item.key };
}

/** Adds the rows of a session, with a head line for each turn. @param {Item[]} items @param {Session} session @param {Wanted} wanted */
function putSession(items, { rows }, wanted) {
  /** @type {Row[]} */
  let between = [];
  rows.forEach((row, i) => {
    const { turn } = row;
    if (turn === undefined) between.push(row);
    // All rows of a turn are added at its first row.
    if (turn === undefined || rows[i - 1]?.turn === turn) return;
    put(items, between, wanted);
    between = [];
    if (!turn.rows.some((one) => isShown(one, wanted))) return;
    items.push({ kind: "turn", key: turn, name: `Turn ${turn.n}`, rows: turn.rows });
    if (!wanted.shut.has(turn) || !joinsStreams(wanted) || wanted.kind !== "" || wanted.isDiff)
      put(items, turn.rows, wanted);
  });
  put(items, between, wanted);
}

/** @param {Item[]} items @param {readonly Row[]} rows @param {Wanted} wanted */
function put(items, rows, wanted) {
  let past = 0;
  rows.forEach((one, i) => {
    if (i < past || !isShown(one, wanted)) return;
    past = i + 1;
    if (one.family !== undefined && joinsStreams(wanted))
      while (rows[past]?.family === one.family && rows[past]?.diff === one.diff) past++;
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
