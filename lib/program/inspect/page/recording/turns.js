/**
 * Groups rows into sessions and turns.
 *
 * A turn is from a prompt to its response when the editor's side was recorded, else from
 * the CLI's user message to its result, or from `turn/start` to `turn/completed`. A queued prompt is a turn of its own.
 */

/** @typedef {import("./model.ts").MessageRow} Row */
/** @typedef {import("./model.ts").SessionModel} Session */
/** @typedef {import("./model.ts").TurnModel} Turn */

/** Sessions in the order they began; sets `turn` of their rows. @param {readonly Row[]} rows @returns {Map<string, Session>} */
export function sessionsOf(rows) {
  /** @type {Map<string, Session>} */
  const sessions = new Map();
  for (const row of rows) {
    if (row.session === undefined) continue;
    let session = sessions.get(row.session);
    if (session === undefined) sessions.set(row.session, (session = { id: row.session, rows: [], turns: [] }));
    session.rows.push(row);
  }
  for (const session of sessions.values()) cutIntoTurns(session);
  return sessions;
}

/** @param {Session} session */
function cutIntoTurns({ rows, turns }) {
  const isAcp = rows.some(isPrompt);
  /** @type {Turn[]} */
  const running = [];
  for (const row of rows) {
    const isRemoved = row.diff === "removed";
    const isStart = isRemoved ? false : isAcp ? isPrompt(row) && !row.isAnswer : isCliPrompt(row);
    const isEnd = isRemoved
      ? false
      : isAcp
        ? isPrompt(row) && row.isAnswer
        : row.name === "result" || row.name === "turn/completed";
    if (isStart) {
      const turn = { first: row, rows: [], n: turns.length + 1 };
      turns.push(turn);
      running.push(turn);
    }
    const [current] = running;
    if (current === undefined) continue;
    row.turn = current;
    current.rows.push(row);
    if (!isEnd) continue;
    const ended = (isAcp ? running.find(({ first }) => first === row.pair) : undefined) ?? current;
    running.splice(running.indexOf(ended), 1);
    ended.last = row;
  }
}

/** @param {Row} row */
function isPrompt({ side, name }) {
  return side === "acp" && name === "session/prompt";
}

/** @param {Row} row */
function isCliPrompt({ side, dir, name, isAnswer }) {
  if (side === "codex") return name === "turn/start" && !isAnswer;
  return side === "claude" && dir === "in" && name === "user";
}
