/**
 * Shares the sessions of `bowline agent` with the servers of the same user.
 *
 * A hub connects the editor and the agent: the editor is its first client, a running
 * `bowline serve` another. Servers connect to a socket that only this user can open, and prove
 * that they are in no sandbox (write-proof.ts). The socket is created when the editor opens its
 * first session. If that fails, stderr says why and the editor is served as usual. The sessions
 * end with the editor.
 */
import { chmodSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { Hub } from "../../hub/index.ts";
import { type Environment, guardFile } from "../../process/index.ts";
import { type Link, memoryPair, stdioLink } from "../../wire/index.ts";
import { SharedDirectory, withdraw } from "./shared-directory.ts";
import { provedLink } from "./write-proof.ts";

export interface SharedSessions {
  /** The agent's end of its connection. */
  readonly link: Link;
  /** Resolves with the exit code when the editor is gone. */
  readonly editorGone: Promise<number>;
  /** Ends the connections of the editor and of every server. */
  readonly close: () => Promise<void>;
}

export interface ShareOptions {
  readonly env: Environment;
  /** Says one sentence to the user. */
  readonly onNotice: (sentence: string) => void;
  readonly onBug: (doing: string, cause: unknown) => void;
  /** Default: stdin and stdout. */
  readonly editor?: Link | undefined;
}

/** Servers that may be connected at once. */
const maxServers = 8;

export function shareSessions({ env, onNotice, onBug, editor = stdioLink() }: ShareOptions): SharedSessions {
  const [agentEnd, hubEnd] = memoryPair();
  const source = { name: "agent", title: "the agent", start: () => ({ link: hubEnd, stop: async () => {} }) };
  const hub = new Hub({ sources: [source], hasOneProfile: true, keepMs: 0, onBug });
  let closeSocket = (): void => {};
  const failed = (cause: unknown): void =>
    onNotice(`the sessions are not shared: ${cause instanceof Error ? cause.message : "no reason given"}`);
  const unfollow = hub.follow(() => {
    unfollow();
    try {
      closeSocket = listen(hub, env, failed);
    } catch (cause) {
      failed(cause);
    }
  });
  let resolveGone: (code: number) => void = () => {};
  const editorGone = new Promise<number>((resolve) => (resolveGone = resolve));
  hub.connect(
    observed(editor, () => resolveGone(0)),
    { role: "owner" },
  );
  return {
    link: agentEnd,
    editorGone,
    close: async () => {
      closeSocket();
      await hub.stop("the agent has ended");
    },
  };
}

/** Lets servers connect to the hub; the returned function ends that. Throws when no private socket can be made. */
function listen(hub: Hub, env: Environment, onFailed: (cause: unknown) => void): () => void {
  const shared = new SharedDirectory(env);
  const address = shared.newAddress();
  const isFile = process.platform !== "win32";
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    void provedLink(socket, shared.path).then((link) => {
      // A server only looks on: a session is not kept open for it.
      if (link !== undefined) hub.connect(link, { role: "owner", keepsOpen: false });
    });
  });
  server.maxConnections = maxServers;
  server.on("error", onFailed);
  server.unref();
  server.listen(address, () => isFile && chmodSync(address, 0o600));
  const announcement = shared.announce(address);
  // The orphan guard removes the files if this process is killed.
  const guarded = [announcement.path, ...(isFile ? [address] : [])].map(guardFile);
  return () => {
    server.close();
    withdraw(announcement);
    for (const one of guarded) one.release();
  };
}

/** The same link; `onGone` is called when the other side has ended its output or the link is closed. */
function observed(link: Link, onGone: () => void): Link {
  return {
    ...link,
    open: (callbacks) =>
      link.open({
        ...callbacks,
        onEnd: () => {
          callbacks.onEnd();
          onGone();
        },
        onClose: (reason) => {
          callbacks.onClose(reason);
          onGone();
        },
      }),
  };
}
