/**
 * Reports a saved conversation as updates, page by page, as fast as the client reads.
 */
import type { SessionUpdate } from "../../acp/index.ts";
import type { AppServer } from "../app-server/app-server.ts";
import { CodexRefused, toFailure } from "../app-server/errors.ts";
import { TurnPage } from "../protocol/index.ts";
import { type CodexState, foldHistory } from "../translate/index.ts";

/** A page is one line, and the output of each command in it may have 1 MiB. */
const pageSize = 10;

export interface ReplayOptions {
  readonly server: AppServer;
  readonly threadId: string;
  readonly state: CodexState;
  readonly signal: AbortSignal;
  readonly push: (updates: readonly SessionUpdate[]) => void;
  /** Resolves when the client keeps up. */
  readonly whenResumed: () => Promise<void>;
}

export async function replayHistory({
  server,
  threadId,
  state,
  signal,
  push,
  whenResumed,
}: ReplayOptions): Promise<void> {
  let cursor: string | undefined;
  do {
    const params = {
      threadId,
      limit: pageSize,
      sortDirection: "asc",
      itemsView: "full",
      ...(cursor !== undefined && { cursor }),
    };
    const page = await server.request("thread/turns/list", params, TurnPage).catch((cause: unknown) => {
      // A thread without a turn has nothing to list.
      if (cause instanceof CodexRefused && /not supported yet/.test(cause.message)) return { data: [] };
      throw toFailure(cause, "reading the conversation");
    });
    for (const turn of page.data) {
      signal.throwIfAborted();
      push(foldHistory(state, turn));
      await whenResumed();
    }
    cursor = ("nextCursor" in page ? page.nextCursor : undefined) ?? undefined;
  } while (cursor !== undefined);
}
