/**
 * A store of saved conversations, in memory.
 */
import type { SessionStore } from "../../../lib/claude/engine/saved/session-store.ts";
import type { ConversationEvent, TranscriptReport } from "../../../lib/claude/index.ts";

export interface MemoryStore extends SessionStore {
  /** By id, the newest last. */
  readonly kept: Map<string, readonly ConversationEvent[]>;
  readonly renamed: (readonly [id: string, title: string])[];
  /** The modes of the last prompts, by id. */
  readonly modes: Map<string, string>;
  /** How much of the next loaded conversation could not be read. */
  faults: Partial<TranscriptReport>;
}

export function memoryStore(...ids: readonly string[]): MemoryStore {
  const kept = new Map<string, readonly ConversationEvent[]>(ids.map((id) => [id, []]));
  const all: MemoryStore = {
    kept,
    renamed: [],
    modes: new Map(),
    faults: {},
    list: async (cwd, cursor) => {
      if (cursor !== undefined) return { kind: "bad-cursor" };
      const sessions = [...kept.keys()].toReversed().map((sessionId) => ({
        sessionId,
        cwd: cwd ?? "/",
        title: undefined,
        updatedAt: "2026-01-01T00:00:00.000Z",
      }));
      return { kind: "page", sessions, nextCursor: undefined, unreadableCount: 0 };
    },
    has: async (id) => kept.has(id),
    directoryOf: async () => undefined,
    hasPrompt: async (id, uuid) =>
      !kept.has(id) ? "nothing" : JSON.stringify(kept.get(id)).includes(uuid) ? "the prompt" : "not the prompt",
    lastMode: async (id) => all.modes.get(id),
    replay: async (id, onEvent, signal) => {
      for (const event of kept.get(id) ?? []) {
        signal.throwIfAborted();
        await onEvent(event);
      }
      return { ...nothing, ...all.faults };
    },
    latest: async () => [...kept.keys()].at(-1),
    rename: async (id, title) => void all.renamed.push([id, title]),
    remove: async (id) => void kept.delete(id),
  };
  return all;
}

const nothing: TranscriptReport = {
  isFound: true,
  unreadableCount: 0,
  unreadable: [],
  leftOutBytes: 0,
  title: undefined,
  cwd: undefined,
};
