/**
 * Saved: the conversations the CLI keeps on disk, as far as a session needs them.
 *
 * The only place of this room that touches those files; a spec brings another.
 */
import { appendFile, open } from "node:fs/promises";
import {
  type ConversationEvent,
  findSession,
  type ListedSessions,
  listTranscripts,
  projectsDirectory,
  readTranscript,
  removeSession,
  type TranscriptReport,
} from "../claude/index.ts";
import { diskFailure } from "./failures.ts";

export interface Saved {
  readonly list: (cwd: string | undefined, cursor: string | undefined) => Promise<ListedSessions>;
  readonly has: (sessionId: string) => Promise<boolean>;
  /** Tells the whole conversation. */
  readonly tell: (
    sessionId: string,
    onEvent: (event: ConversationEvent) => void | Promise<void>,
    signal: AbortSignal,
  ) => Promise<TranscriptReport | undefined>;
  /** The last conversation of a directory. */
  readonly latest: (cwd: string) => Promise<string | undefined>;
  readonly rename: (sessionId: string, title: string) => Promise<void>;
  readonly remove: (sessionId: string) => Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function savedOnDisk(env: Environment): Saved {
  const projects = projectsDirectory(env);
  return {
    list: (cwd, cursor) => listTranscripts({ projects, cwd, cursor }),
    has: async (sessionId) => (await findSession(projects, sessionId)) !== undefined,
    tell: async (sessionId, onEvent, signal) => {
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

/** As a killed CLI leaves it; what is written behind it would be lost with it. */
async function endsInHalfALine(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    if (size === 0) return false;
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer[0] !== 0x0a;
  } finally {
    await file.close();
  }
}
