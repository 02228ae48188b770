/**
 * Remembers which conversations of which engines belong to one session, and which files of
 * each engine's configuration the user has accepted (see engine-configuration.ts).
 *
 * Only sessions with more than one engine are written, into a file of this user's state
 * directory: mode 0600, replaced as a whole, at most `maxSessions` entries. Without the file
 * only one engine's part is loaded. Of a file that cannot be read nothing counts as accepted.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { Fault, items, object, optional, record, type Static, string } from "../../schema/index.ts";
import { parseJson } from "../../wire/index.ts";
import type { EngineId } from "../route.ts";
import type { TurnMark } from "./merged-history.ts";

const entry = object({
  sessionId: string,
  claude: optional(string),
  codex: optional(string),
  /** The engine and the prompt of each turn, in order; see `turnMark`. */
  turns: items(string),
  /** The conversations of both engines, also those without an ended turn. */
  parts: optional(items(string)),
  /** The accepted files of an engine, once the other engine has worked. */
  accepted: optional(object({ claude: optional(record(string)), codex: optional(record(string)) })),
});
type IndexedSession = Static<typeof entry>;
const file = object({ sessions: items(entry) });

export const maxSessions = 500;
/** The turns of a session that are remembered. */
export const maxTurns = 2000;

/** The conversations of a session that are remembered. */
const maxParts = 20;

export interface NotedTurn {
  readonly sessionId: string;
  /** The id that the session had before, if that may have changed. */
  readonly previousId?: string | undefined;
  readonly engine: EngineId;
  readonly savedId: string;
  readonly mark: TurnMark;
}

export interface KeptFiles {
  readonly sessionId: string;
  readonly previousId?: string | undefined;
  /** The ids of the session's conversations with its engines. */
  readonly parts: readonly string[];
  readonly accepted: NonNullable<IndexedSession["accepted"]>;
}

export interface SessionIndex {
  /** What is known of a session; undefined when it has only one engine. */
  readonly find: (sessionId: string) => IndexedSession | undefined;
  /** The session to which a conversation of an engine belongs. */
  readonly findPart: (savedId: string) => IndexedSession | undefined;
  /** An engine has ended a turn in the conversation that it saves under `savedId`. */
  readonly note: (turn: NotedTurn) => void;
  /** Writes what the user has accepted. Returns false when that failed. */
  readonly keep: (files: KeptFiles) => boolean;
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
  const write = (change: (sessions: readonly IndexedSession[]) => readonly IndexedSession[]): boolean => {
    try {
      writePrivately(path, JSON.stringify({ sessions: change(readIndex(path) ?? []).slice(-maxSessions) }));
      return true;
    } catch (cause) {
      onBug("writing the list of sessions with two engines", cause);
      return false;
    }
  };
  const find = (sessionId: string): IndexedSession | undefined =>
    readIndex(path)?.find((one) => one.sessionId === sessionId);
  /** Changes the entry of a session, and writes it if it has two engines. */
  const change = (
    { sessionId, previousId = sessionId }: Pick<NotedTurn, "sessionId" | "previousId">,
    changed: (before: IndexedSession) => Partial<IndexedSession>,
  ): boolean => {
    const known = (id: string): IndexedSession | undefined => noted.get(id) ?? find(id);
    const before = known(sessionId) ?? known(previousId) ?? { sessionId, turns: [] };
    const after: IndexedSession = { ...before, ...changed(before), sessionId };
    noted.delete(sessionId);
    noted.set(sessionId, after);
    for (const oldest of [...noted.keys()].slice(0, -maxSessions)) noted.delete(oldest);
    const hasTwo = (after.claude !== undefined && after.codex !== undefined) || after.accepted !== undefined;
    return !hasTwo || write((sessions) => [...sessions.filter((one) => one.sessionId !== sessionId), after]);
  };
  return {
    find,
    findPart: (savedId) => {
      const sessions = readIndex(path);
      // Of a file that cannot be read nothing is known, so no configuration was accepted.
      if (sessions === undefined) return { sessionId: savedId, turns: [], accepted: { claude: {}, codex: {} } };
      const hasPart = ({ sessionId, claude, codex, parts = [] }: IndexedSession): boolean =>
        [sessionId, claude, codex, ...parts].includes(savedId);
      return sessions.find((one) => one.sessionId === savedId) ?? sessions.findLast(hasPart);
    },
    note: ({ engine, savedId, mark, ...ids }) =>
      void change(ids, ({ turns }) => ({ [engine]: savedId, turns: [...turns, mark].slice(-maxTurns) })),
    keep: ({ accepted, parts, ...ids }) =>
      change(ids, (before) => ({
        accepted,
        parts: [...new Set([...(before.parts ?? []), ...parts])].slice(-maxParts),
      })),
    remove: (sessionId) => {
      noted.delete(sessionId);
      if (find(sessionId) !== undefined) write((sessions) => sessions.filter((one) => one.sessionId !== sessionId));
    },
  };
}

/** An index that remembers nothing. */
export const emptyIndex: SessionIndex = {
  find: () => undefined,
  findPart: () => undefined,
  note: () => {},
  keep: () => true,
  remove: () => {},
};

function indexPath({ XDG_STATE_HOME, HOME }: Readonly<Record<string, string | undefined>>): string {
  const state = XDG_STATE_HOME !== undefined && isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : undefined;
  return join(state ?? join(HOME ?? homedir(), ".local", "state"), "bowline", "sessions.json");
}

/** A file that is missing counts as empty; undefined for one that cannot be read. */
function readIndex(path: string): readonly IndexedSession[] | undefined {
  try {
    const read = file.read(parseJson(readFileSync(path, "utf8")));
    return read instanceof Fault ? undefined : read.sessions;
  } catch (cause) {
    const isMissing = cause instanceof Error && "code" in cause && ["ENOENT", "ENOTDIR"].includes(String(cause.code));
    return isMissing ? [] : undefined;
  }
}

function writePrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const own = `${path}.${process.pid}.${crypto.randomUUID()}`;
  writeFileSync(own, text, { mode: 0o600, flag: "wx" });
  chmodSync(own, 0o600);
  renameSync(own, path);
}
