/**
 * Remembers which conversations of which engines belong to one session.
 *
 * Only sessions with more than one engine are written, into a file of this user's state
 * directory: mode 0600, replaced as a whole, at most `maxSessions` entries. Without the
 * file only one engine's part of such a session is loaded.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { Fault, items, object, optional, type Static, string } from "../../schema/index.ts";
import { parseJson } from "../../wire/index.ts";
import type { EngineId } from "../route.ts";
import type { TurnMark } from "./merged-history.ts";

const entry = object({
  sessionId: string,
  claude: optional(string),
  codex: optional(string),
  /** The engine and the prompt of each turn, in order; see `turnMark`. */
  turns: items(string),
});
type IndexedSession = Static<typeof entry>;
const file = object({ sessions: items(entry) });

export const maxSessions = 500;
/** The turns of a session that are remembered. */
export const maxTurns = 2000;

export interface NotedTurn {
  readonly sessionId: string;
  /** The id that the session had before, if that may have changed. */
  readonly previousId?: string | undefined;
  readonly engine: EngineId;
  readonly savedId: string;
  readonly mark: TurnMark;
}

export interface SessionIndex {
  /** What is known of a session; undefined when it has only one engine. */
  readonly find: (sessionId: string) => IndexedSession | undefined;
  /** An engine has ended a turn in the conversation that it saves under `savedId`. */
  readonly note: (turn: NotedTurn) => void;
  readonly remove: (sessionId: string) => void;
}

/** The index in the user's state directory. `onBug` gets failures to write it. */
export function fileIndex(
  env: Readonly<Record<string, string | undefined>>,
  onBug: (doing: string, cause: unknown) => void,
): SessionIndex {
  const path = indexPath(env);
  /** Sessions of this process, also those with one engine, which are not written. */
  const noted = new Map<string, IndexedSession>();
  const write = (change: (sessions: readonly IndexedSession[]) => readonly IndexedSession[]): void => {
    try {
      writePrivately(path, JSON.stringify({ sessions: change(readIndex(path)).slice(-maxSessions) }));
    } catch (cause) {
      onBug("writing the list of sessions with two engines", cause);
    }
  };
  const find = (sessionId: string): IndexedSession | undefined =>
    readIndex(path).find((one) => one.sessionId === sessionId);
  return {
    find,
    note: ({ sessionId, previousId = sessionId, engine, savedId, mark }) => {
      const known = (id: string): IndexedSession | undefined => noted.get(id) ?? find(id);
      const before = known(sessionId) ?? known(previousId) ?? { sessionId, turns: [] };
      const after: IndexedSession = {
        ...before,
        sessionId,
        [engine]: savedId,
        turns: [...before.turns, mark].slice(-maxTurns),
      };
      noted.delete(sessionId);
      noted.set(sessionId, after);
      for (const oldest of [...noted.keys()].slice(0, -maxSessions)) noted.delete(oldest);
      if (after.claude === undefined || after.codex === undefined) return;
      write((sessions) => [...sessions.filter((one) => one.sessionId !== sessionId), after]);
    },
    remove: (sessionId) => {
      noted.delete(sessionId);
      if (find(sessionId) !== undefined) write((sessions) => sessions.filter((one) => one.sessionId !== sessionId));
    },
  };
}

/** An index that remembers nothing. */
export const emptyIndex: SessionIndex = { find: () => undefined, note: () => {}, remove: () => {} };

function indexPath({ XDG_STATE_HOME, HOME }: Readonly<Record<string, string | undefined>>): string {
  const state = XDG_STATE_HOME !== undefined && isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : undefined;
  return join(state ?? join(HOME ?? homedir(), ".local", "state"), "bowline", "sessions.json");
}

/** A file that is missing or damaged counts as empty. */
function readIndex(path: string): readonly IndexedSession[] {
  try {
    const read = file.read(parseJson(readFileSync(path, "utf8")));
    return read instanceof Fault ? [] : read.sessions;
  } catch {
    return [];
  }
}

function writePrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const own = `${path}.${process.pid}.${crypto.randomUUID()}`;
  writeFileSync(own, text, { mode: 0o600, flag: "wx" });
  chmodSync(own, 0o600);
  renameSync(own, path);
}
