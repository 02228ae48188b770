/**
 * Serve: the Claude agent on this process's own stdin and stdout.
 *
 * Ends when the client closes the pipe or is gone, or a signal comes, and not
 * before every child is gone; a second signal does not wait.
 */
import { initializeResponse } from "../acp/index.ts";
import { describeBug, Shutdown, type Link, onParentGone, stdioLink } from "../wire/index.ts";
import type { LocalOptions } from "./local-agent.ts";
import { answerInitializeEarly } from "./early-initialize.ts";
import { claudeProfile, servesAll } from "./agent-profile.ts";
import type { Settings } from "./settings/settings.ts";
import { thisProgram } from "./auth/methods.ts";

export interface ServeOptions extends Pick<LocalOptions, "launcher" | "store" | "textOf" | "recorder"> {
  readonly isLegacy: boolean;
  readonly settings: Partial<Settings>;
  readonly prewarms: boolean;
  readonly idleTimeoutMs: number | undefined;
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
  const { link, agentNeeded, requestAgent } = answerInitializeEarly(around(stdioLink()), (request) =>
    initializeResponse(profile, servesAll, request),
  );
  // What the client has sent already is answered before anything else is seen to.
  await new Promise(setImmediate);
  const shutdown = new Shutdown(reportBug);
  const agent = agentNeeded.then(async () => {
    // Nine tenths of the program, and none of it is needed to answer `initialize`.
    const { localAgent } = await import("./index.ts");
    return localAgent(link, { ...options, onBug: reportBug });
  });
  agent
    .then(({ connection }) => connection.closed)
    .then(shutdown.end, (cause: unknown) => {
      reportBug("begin", cause);
      process.exit(1);
    });
  onParentGone(() => shutdown.end("the editor is gone"));
  void until?.then((given) => {
    shutdown.code = given;
    shutdown.end("it has come to its end");
  });
  const reason = await shutdown.reason;
  const limit = setTimeout(() => process.exit(shutdown.code), maxStopMs);
  requestAgent();
  const { connection, stop } = await agent;
  // While the editor is still there it hears how its turns ended, and ends its terminals.
  await stop(reason);
  connection.close(reason);
  await connection.settled;
  await options.recorder?.end();
  clearTimeout(limit);
  return shutdown.code;
}

function asIs(link: Link): Link {
  return link;
}

function reportBug(doing: string, cause: unknown): void {
  process.stderr.write(`bowline: ${doing}: ${describeBug(cause)}\n`);
}
