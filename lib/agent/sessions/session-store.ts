/**
 * Saved: the conversations the CLI keeps on disk, as far as a session needs them.
 *
 * The only place of this room that touches those files; a spec brings another.
 */
import { appendFile, open } from "node:fs/promises";
import {
  type ConversationEvent,
  type Environment,
  findSession,
  type ListedSessions,
  listTranscripts,
  projectsDirectory,
  readTranscript,
  removeSession,
  transcriptDirectory,
  type TranscriptReport,
} from "../../claude/index.ts";
import { diskFailure } from "../errors.ts";

export interface SessionStore {
  readonly list: (cwd: string | undefined, cursor: string | undefined) => Promise<ListedSessions>;
  readonly has: (sessionId: string) => Promise<boolean>;
  /** The directory a conversation was held in; undefined when it is not known. */
  readonly directoryOf: (sessionId: string) => Promise<string | undefined>;
  /** Whether a prompt is part of a conversation, and whether there is one at all. */
  readonly hasPrompt: (sessionId: string, promptUuid: string) => Promise<"the prompt" | "not the prompt" | "nothing">;
  /** Tells the whole conversation. */
  readonly replay: (
    sessionId: string,
    onEvent: (event: ConversationEvent) => void | Promise<void>,
    signal: AbortSignal,
  ) => Promise<TranscriptReport | undefined>;
  /** The last conversation of a directory. */
  readonly latest: (cwd: string) => Promise<string | undefined>;
  readonly rename: (sessionId: string, title: string) => Promise<void>;
  readonly remove: (sessionId: string) => Promise<void>;
}

/** A disk without conversations to open. */
export const emptyStore: SessionStore = {
  list: async () => ({ kind: "page", sessions: [], nextCursor: undefined, unreadableCount: 0 }),
  has: async () => false,
  directoryOf: async () => undefined,
  // Whatever was said is known.
  hasPrompt: async () => "the prompt",
  replay: async () => undefined,
  latest: async () => undefined,
  rename: async () => {},
  remove: async () => {},
};

export function diskStore(env: Environment): SessionStore {
  const projects = projectsDirectory(env);
  return {
    list: (cwd, cursor) => listTranscripts({ projects, cwd, cursor }),
    has: async (sessionId) => (await findSession(projects, sessionId)) !== undefined,
    directoryOf: async (sessionId) => {
      const files = await findSession(projects, sessionId);
      return files && transcriptDirectory(files);
    },
    hasPrompt: async (sessionId, promptUuid) => {
      const files = await findSession(projects, sessionId);
      if (files === undefined) return "nothing";
      return (await endOf(files.transcript, maxPromptBytes)).includes(promptUuid) ? "the prompt" : "not the prompt";
    },
    replay: async (sessionId, onEvent, signal) => {
      const files = await findSession(projects, sessionId);
      return files && readTranscript(files, { onEvent, signal });
    },
    latest: async (cwd) => {
      const page = await listTranscripts({ projects, cwd, pageSize: 1 });
      return page.kind === "page" ? page.sessions[0]?.sessionId : undefined;
    },
    rename: async (sessionId, customTitle) => {
      const files = await findSession(projects, sessionId);
      if (files === undefined) return;
      // The CLI's own line for it; the last one counts.
      const line = JSON.stringify({ type: "custom-title", customTitle, sessionId });
      try {
        const isTorn = await endsInHalfALine(files.transcript);
        await appendFile(files.transcript, `${isTorn ? "\n" : ""}${line}\n`);
      } catch (cause) {
        throw diskFailure("the title could not be saved", cause);
      }
    },
    remove: async (sessionId) => {
      const files = await findSession(projects, sessionId);
      if (files === undefined) return;
      await removeSession(files).catch((cause: unknown) => {
        throw diskFailure("the conversation could not be deleted", cause);
      });
    },
  };
}

/** How far from the end of a file its last prompt is looked for; pictures in it count. */
const maxPromptBytes = 16 * 1024 * 1024;

/** As a killed CLI leaves it; what is written behind it would be lost with it. */
async function endsInHalfALine(path: string): Promise<boolean> {
  const end = await endOf(path, 1);
  return end.length > 0 && end[0] !== 0x0a;
}

async function endOf(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const length = Math.min(size, bytes);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer;
  } finally {
    await file.close();
  }
}
