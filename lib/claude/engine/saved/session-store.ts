/**
 * Access to the conversations that the CLI keeps on disk: list, find, replay, rename,
 * delete.
 *
 * Tests pass an in-memory store instead.
 */
import { appendFile, open } from "node:fs/promises";
import {
  type ConversationEvent,
  type Environment,
  findSession,
  listTranscripts,
  projectsDirectory,
  readTranscript,
  removeSession,
  type SessionFiles,
  transcriptDirectory,
  type TranscriptReport,
} from "../../index.ts";
import type { ConversationStore } from "../../../engine/index.ts";
import { forkPointIn } from "./conversation-points.ts";
import { diskFailure } from "../failures.ts";
import { lastPermissionMode } from "../settings/saved-mode.ts";

export interface SessionStore extends ConversationStore {
  /** Whether a transcript exists, and whether it contains the prompt. */
  readonly hasPrompt: (sessionId: string, promptUuid: string) => Promise<"the prompt" | "not the prompt" | "nothing">;
  /** The permission mode of the last prompt; undefined when it is not known. Never rejects. */
  readonly lastMode: (sessionId: string) => Promise<string | undefined>;
  /** Calls `onEvent` for every event of the conversation, in order. */
  readonly replay: (
    sessionId: string,
    onEvent: (event: ConversationEvent) => void | Promise<void>,
    signal: AbortSignal,
  ) => Promise<TranscriptReport | undefined>;
}

/** The notice to the user about a transcript that could not be shown completely. */
export function replayWarnings({ unreadableCount = 0, leftOutBytes = 0 }: Partial<TranscriptReport> = {}): string[] {
  return [
    ...(unreadableCount > 0 ? [`${unreadableCount} lines of this conversation could not be read.`] : []),
    ...(leftOutBytes > 0 ? [`${leftOutBytes} bytes of long tool results were left out.`] : []),
  ];
}

/** A store without conversations. */
export const emptyStore: SessionStore = {
  list: async () => ({ kind: "page", sessions: [], nextCursor: undefined, unreadableCount: 0 }),
  has: async () => false,
  directoryOf: async () => undefined,
  // A lost prompt is never sent again.
  hasPrompt: async () => "the prompt",
  lastMode: async () => undefined,
  replay: async () => undefined,
  latest: async () => undefined,
  rename: async () => {},
  remove: async () => {},
};

export function diskStore(env: Environment): SessionStore {
  const projects = projectsDirectory(env);
  /** What `has` found last: a session that is opened reads the same conversation at once. */
  let lastFound: { readonly sessionId: string; readonly files: SessionFiles } | undefined;
  const lastFoundOr = async (sessionId: string): Promise<SessionFiles | undefined> =>
    lastFound?.sessionId === sessionId ? lastFound.files : findSession(projects, sessionId);
  return {
    list: (cwd, cursor) => listTranscripts({ projects, cwd, cursor }),
    has: async (sessionId) => {
      const files = await findSession(projects, sessionId);
      lastFound = files && { sessionId, files };
      return files !== undefined;
    },
    directoryOf: async (sessionId) => {
      const files = await findSession(projects, sessionId);
      return files && transcriptDirectory(files);
    },
    hasPrompt: async (sessionId, promptUuid) => {
      const files = await findSession(projects, sessionId);
      if (files === undefined) return "nothing";
      return (await readEnd(files.transcript, maxPromptBytes)).includes(promptUuid) ? "the prompt" : "not the prompt";
    },
    lastMode: async (sessionId) => {
      const files = await lastFoundOr(sessionId).catch(() => undefined);
      return files && lastPermissionMode(files.transcript, readEnd);
    },
    replay: async (sessionId, onEvent, signal) => {
      const finding = lastFoundOr(sessionId);
      // A later replay looks again.
      lastFound = undefined;
      const files = await finding;
      return files && readTranscript(files, { onEvent, signal });
    },
    latest: async (cwd) => {
      const page = await listTranscripts({ projects, cwd, pageSize: 1 });
      return page.kind === "page" ? page.sessions[0]?.sessionId : undefined;
    },
    forkPoint: (sessionId, messageId) =>
      forkPointIn(async (onEvent) => {
        const files = await findSession(projects, sessionId);
        return files && readTranscript(files, { onEvent });
      }, messageId),
    rename: async (sessionId, customTitle) => {
      const files = await findSession(projects, sessionId);
      if (files === undefined) return;
      // The line that the CLI itself writes for a title. The last such line is the valid one.
      const line = JSON.stringify({ type: "custom-title", customTitle, sessionId });
      try {
        const isTorn = await endsInPartialLine(files.transcript);
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

/** How much of the end of a transcript is searched for a prompt. Images of the prompt count. */
const maxPromptBytes = 16 * 1024 * 1024;

/** True after a CLI was killed while it wrote. A line appended to a partial line would be lost with it. */
async function endsInPartialLine(path: string): Promise<boolean> {
  const end = await readEnd(path, 1);
  return end.length > 0 && end[0] !== 0x0a;
}

async function readEnd(path: string, bytes: number): Promise<Buffer> {
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
