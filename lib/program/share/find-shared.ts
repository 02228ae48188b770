/**
 * Finds the agents of this user that share their sessions, and shows these sessions in a server.
 *
 * Reads the directory of announcements every second. The announcement of an agent that has
 * exited without removing it is removed.
 */
import type { Environment } from "../../process/index.ts";
import { connect } from "node:net";
import { dirname } from "node:path";
import type { UpstreamSource } from "../../hub/index.ts";
import { type Announcement, SharedDirectory, withdraw } from "./shared-directory.ts";
import { provingLink } from "./write-proof.ts";

export interface FindSharedOptions {
  readonly env: Environment;
  /** Shows the sessions of an agent; resolves when the connection to it has ended. */
  readonly join: (source: UpstreamSource) => Promise<unknown>;
}

const lookEveryMs = 1000;

/** Returns a function that ends the search. Connections stay until their owner closes them. */
export function findShared({ env, join }: FindSharedOptions): () => void {
  const directory = new SharedDirectory(env);
  const joined = new Set<string>();
  const look = (): void => {
    for (const announcement of directory.list()) {
      const { path } = announcement;
      if (joined.has(path)) continue;
      joined.add(path);
      void joinOne(announcement, join).finally(() => joined.delete(path));
    }
  };
  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  look();
  return () => clearInterval(timer);
}

async function joinOne(announcement: Announcement, join: FindSharedOptions["join"]): Promise<void> {
  const socket = connect(announcement.address);
  const failure = await new Promise<string | undefined>((resolve) => {
    socket.once("connect", () => resolve(undefined));
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
  });
  if (failure !== undefined) {
    // Nothing listens there: the agent was killed.
    if (failure === "ECONNREFUSED" || failure === "ENOENT") withdraw(announcement);
    return;
  }
  const link = await provingLink(socket, dirname(announcement.path)).catch(() => undefined);
  if (link === undefined) return void socket.destroy();
  const start = (): ReturnType<UpstreamSource["start"]> => ({
    link,
    stop: async (reason) => {
      link.close(reason);
      socket.destroy();
    },
  });
  // An agent that ends during the handshake, or that cannot be read, is not shown.
  await join({ name: "shared", title: "a shared agent", start }).catch(() => {});
  socket.destroy();
}
