/**
 * Reads the turns of a saved thread, page by page, oldest first.
 */
import type { AppServer } from "../../app-server/app-server.ts";
import { CodexRefused, toFailure } from "../../app-server/errors.ts";
import { type CodexTurn, TurnPage } from "../../protocol/index.ts";

/** A page is one line, and the output of each command in it may have 1 MiB. */
const pageSize = 10;

/** Throws an `EngineFailure`. */
export async function* threadTurns(server: AppServer, threadId: string): AsyncGenerator<CodexTurn, void, void> {
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
    yield* page.data;
    cursor = ("nextCursor" in page ? page.nextCursor : undefined) ?? undefined;
  } while (cursor !== undefined);
}
