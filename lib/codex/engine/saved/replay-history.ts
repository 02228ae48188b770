/**
 * Reports a saved conversation as updates, as fast as the client reads.
 */
import type { SessionUpdate } from "../../../acp/index.ts";
import type { AppServer } from "../../app-server/app-server.ts";
import { type CodexState, foldHistory } from "../../translate/index.ts";
import { threadTurns } from "../thread/thread-turns.ts";

export interface CodexReplayOptions {
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
}: CodexReplayOptions): Promise<void> {
  for await (const turn of threadTurns(server, threadId)) {
    signal.throwIfAborted();
    push(foldHistory(state, turn));
    await whenResumed();
  }
}
