/**
 * Turns: rows into the sessions they are of, each with its turns.
 *
 * A turn is from a prompt to its answer where the editor's side was recorded, else
 * from what the CLI is told to its result. Prompts that wait are turns, too.
 */

/** @typedef {import("./model.ts").MessageRow} Row */
/** @typedef {import("./model.ts").SessionModel} Session */
/** @typedef {import("./model.ts").TurnModel} Turn */

/** Sessions in the order they began; their rows learn their turns. @param {readonly Row[]} rows @returns {Map<string, Session>} */
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
    const begins = isAcp ? isPrompt(row) && !row.isAnswer : isToldToClaude(row);
    const callbacks = isAcp ? isPrompt(row) && row.isAnswer : row.name === "result";
    if (begins) {
      const turn = { first: row, rows: [], n: turns.length + 1 };
      turns.push(turn);
      running.push(turn);
    }
    const [current] = running;
    if (current === undefined) continue;
    row.turn = current;
    current.rows.push(row);
    if (!callbacks) continue;
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
function isToldToClaude({ side, dir, name }) {
  return side === "claude" && dir === "in" && name === "user";
}
