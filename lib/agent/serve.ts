/**
 * Serve: the Claude agent on this process's own stdin and stdout.
 *
 * Ends when the client closes the pipe or is gone, or a signal comes, and not
 * before every child is gone; a second signal does not wait.
 */
import { describeBug, type Link, onParentGone, stdioLink } from "../wire/index.ts";
import { agentFront } from "./front.ts";
import type { LocalOptions } from "./local.ts";
import type { Settings } from "./settings.ts";

export interface ServeOptions extends Pick<LocalOptions, "launcher" | "saved" | "textOf" | "recorder"> {
  readonly isLegacy: boolean;
  readonly settings: Partial<Settings>;
  readonly keepsWarm: boolean;
  readonly restMs: number | undefined;
  /** The client's link, as somebody wants to hear it. */
  readonly around?: ((link: Link) => Link) | undefined;
  /** Ends it, with this exit code. */
  readonly until?: Promise<number> | undefined;
}

/** Clients give an agent two to five seconds to leave. */
const maxStopMs = 4000;
const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Resolves with the exit code once nothing is left running. */
export async function serveClaude({ around = asIs, until, ...options }: ServeOptions): Promise<number> {
  const program = { command: process.execPath, args: process.argv.slice(1, 2) };
  const { connection, stop } = agentFront(around(stdioLink()), { program, onBug: tellBug }, async (client) => {
    // Nine tenths of the program, and none of it is needed to answer `initialize`.
    const { localWork } = await import("./index.ts");
    return localWork(client, { ...options, onBug: tellBug });
  });
  let code = 0;
  let end: (reason: string) => void = () => {};
  const ended = new Promise<string>((resolve) => (end = resolve));
  connection.closed.then(end, end);
  // A promise nobody waited for is a bug, but no reason to end the other sessions.
  process.on("unhandledRejection", (cause) => tellBug("unhandled rejection", cause));
  process.on("uncaughtException", (cause) => {
    tellBug("uncaught exception", cause);
    code ||= 1;
    end("a bug of ours");
  });
  for (const [signal, number] of Object.entries(signals)) {
    process.on(signal, () => {
      if (code !== 0) process.exit(code);
      code = 128 + number;
      end(`ended by ${signal}`);
    });
  }
  onParentGone(() => end("the editor is gone"));
  void until?.then((given) => {
    code = given;
    end("it has come to its end");
  });
  const reason = await ended;
  const limit = setTimeout(() => process.exit(code), maxStopMs);
  // While the editor is still there it hears how its turns ended, and ends its terminals.
  await stop(reason);
  connection.close(reason);
  await connection.settled;
  await options.recorder?.end();
  clearTimeout(limit);
  return code;
}

function asIs(link: Link): Link {
  return link;
}

function tellBug(doing: string, cause: unknown): void {
  process.stderr.write(`bowline: ${doing}: ${describeBug(cause)}\n`);
}
