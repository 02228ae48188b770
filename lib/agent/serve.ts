/**
 * Serve: the Claude agent on this process's own stdin and stdout.
 *
 * Ends when the client closes the pipe or is gone, or a signal comes, and not
 * before every child is gone; a second signal does not wait.
 */
import { greeting } from "../acp/index.ts";
import { describeBug, Ending, type Link, onParentGone, stdioLink } from "../wire/index.ts";
import type { LocalOptions } from "./local.ts";
import { porch } from "./porch.ts";
import { claudeProfile, servesAll } from "./profile.ts";
import type { Settings } from "./settings.ts";
import { thisProgram } from "./sign-in-methods.ts";

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

/** Resolves with the exit code once nothing is left running. */
export async function serveClaude({ around = asIs, until, ...options }: ServeOptions): Promise<number> {
  const profile = claudeProfile(thisProgram());
  const { link, rung, ring } = porch(around(stdioLink()), (request) => greeting(profile, servesAll, request));
  // What the client has sent already is answered before anything else is seen to.
  await new Promise(setImmediate);
  const ending = new Ending(tellBug);
  const agent = rung.then(async () => {
    // Nine tenths of the program, and none of it is needed to answer `initialize`.
    const { localAgent } = await import("./index.ts");
    return localAgent(link, { ...options, onBug: tellBug });
  });
  agent
    .then(({ connection }) => connection.closed)
    .then(ending.end, (cause: unknown) => {
      tellBug("begin", cause);
      process.exit(1);
    });
  onParentGone(() => ending.end("the editor is gone"));
  void until?.then((given) => {
    ending.code = given;
    ending.end("it has come to its end");
  });
  const reason = await ending.reason;
  const limit = setTimeout(() => process.exit(ending.code), maxStopMs);
  ring();
  const { connection, stop } = await agent;
  // While the editor is still there it hears how its turns ended, and ends its terminals.
  await stop(reason);
  connection.close(reason);
  await connection.settled;
  await options.recorder?.end();
  clearTimeout(limit);
  return ending.code;
}

function asIs(link: Link): Link {
  return link;
}

function tellBug(doing: string, cause: unknown): void {
  process.stderr.write(`bowline: ${doing}: ${describeBug(cause)}\n`);
}
