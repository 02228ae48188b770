/**
 * The conversations that Codex has saved, read and changed through the app-server. They
 * are shared with Codex's own tools.
 */
import { oneLine } from "../../../display/index.ts";
import {
  type ConversationPage,
  type ConversationStore,
  EngineFailure,
  type SavedConversation,
} from "../../../engine/index.ts";
import { unknown } from "../../../schema/index.ts";
import { CodexRefused, toFailure } from "../../app-server/errors.ts";
import type { SharedAppServer } from "../../app-server/shared-app-server.ts";
import { ReadThread, type Thread, ThreadPage, TurnPage } from "../../protocol/index.ts";
import { forkPointIn } from "./conversation-points.ts";
import { threadTurns } from "../thread/thread-turns.ts";

const pageSize = 50;
const maxTitleChars = 100;

export function codexConversationStore(shared: SharedAppServer): ConversationStore {
  const list = async (cwd: string | undefined, cursor: string | undefined, limit: number): Promise<ThreadPage> => {
    const { server } = await shared.acquire();
    const params = {
      limit,
      sortKey: "updated_at",
      sortDirection: "desc",
      ...(cwd !== undefined && { cwd }),
      ...(cursor !== undefined && { cursor }),
    };
    return server.request("thread/list", params, ThreadPage);
  };
  const read = async (threadId: string): Promise<Thread | undefined> => {
    const { server } = await shared.acquire();
    try {
      return (await server.request("thread/read", { threadId }, ReadThread)).thread;
    } catch (cause) {
      if (cause instanceof CodexRefused) return undefined;
      throw cause;
    }
  };
  return {
    list: async (cwd, cursor): Promise<ConversationPage> => {
      try {
        const { data, nextCursor } = await list(cwd, cursor, pageSize);
        const sessions = data.flatMap(savedConversation);
        return { kind: "page", sessions, nextCursor: nextCursor ?? undefined, unreadableCount: 0 };
      } catch (cause) {
        if (cause instanceof CodexRefused && cursor !== undefined) return { kind: "bad-cursor" };
        throw toFailure(cause, "listing the conversations of Codex");
      }
    },
    has: async (threadId) => {
      const thread = await read(threadId);
      // Codex knows a thread as soon as it is started, but saves it with its first prompt.
      if (thread === undefined || (thread.preview ?? "") !== "") return thread !== undefined;
      const { server } = await shared.acquire();
      const page = server.request("thread/turns/list", { threadId, limit: 1 }, TurnPage);
      return page.then(
        ({ data }) => data.length > 0,
        () => false,
      );
    },
    directoryOf: async (id) => (await read(id))?.cwd ?? undefined,
    latest: async (cwd) => (await list(cwd, undefined, 1)).data[0]?.id,
    forkPoint: async (threadId, messageId) => {
      const { server } = await shared.acquire();
      return forkPointIn(threadTurns(server, threadId), messageId);
    },
    rename: async (threadId, name) => {
      const { server } = await shared.acquire();
      await server.request("thread/name/set", { threadId, name }, unknown).catch((cause: unknown) => {
        throw toFailure(cause, "renaming the conversation");
      });
    },
    remove: async (threadId) => {
      if ((await read(threadId)) === undefined) {
        throw new EngineFailure("unknown_conversation", "Codex has no conversation with this id");
      }
      const { server } = await shared.acquire();
      try {
        await server.request("thread/delete", { threadId }, unknown);
      } catch (cause) {
        if (!(cause instanceof CodexRefused)) throw cause;
        // Codex refuses to delete a conversation that others were forked from.
        await server.request("thread/archive", { threadId }, unknown).catch((failure: unknown) => {
          throw toFailure(failure, "removing the conversation");
        });
      }
    },
  };
}

/** A list of one, or none for a thread without a directory. */
function savedConversation({ id, cwd, name, preview, updatedAt, createdAt }: Thread): readonly SavedConversation[] {
  if (cwd == null) return [];
  const title = oneLine(name ?? preview ?? "", maxTitleChars);
  const seconds = updatedAt ?? createdAt ?? 0;
  return [{ sessionId: id, cwd, title: title || undefined, updatedAt: new Date(seconds * 1000).toISOString() }];
}
