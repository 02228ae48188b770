/**
 * Serves the agent on stdin and stdout of this process.
 *
 * Stops when the client closes stdin, when the parent process exits or when a signal
 * arrives. Then waits until every child process has exited and every request is answered,
 * for at most `maxStopMs`; a second signal ends the wait. Loads the agent's code only
 * when it is needed.
 */
import { initializeResponse } from "../acp/index.ts";
import { describeBug, Shutdown, type Link, onParentGone, stdioLink } from "../wire/index.ts";
import type { AgentOptions } from "./create-agent.ts";
import { answerInitializeEarly } from "./early-initialize.ts";
import { agentProfile, servesAll, thisProgram } from "./agent-profile.ts";
import { defaultRoute } from "./route.ts";

export interface ServeOptions extends AgentOptions {
  /** Wraps the client's link, for example to record it. */
  readonly around?: ((link: Link) => Link) | undefined;
  /** The client's link; stdin and stdout when left out. */
  readonly link?: Link | undefined;
  /** Computes the environment of the CLIs when the agent is needed; `initialize` does not wait for it. */
  readonly environment?: (() => Promise<AgentOptions["env"]>) | undefined;
  /** Stops the agent when it resolves, with this exit code. */
  readonly until?: Promise<number> | undefined;
}

/** Clients kill an agent that has not exited after two to five seconds. */
const maxStopMs = 4000;

/** Resolves with the exit code when every child process has exited. */
export async function serveAgent({
  around = unchanged,
  link: given,
  until,
  environment,
  ...options
}: ServeOptions): Promise<number> {
  const route = options.route ?? defaultRoute(options.env ?? process.env);
  const profile = agentProfile(route, thisProgram());
  const { link, agentNeeded, requestAgent } = answerInitializeEarly(around(given ?? stdioLink()), (request) =>
    initializeResponse(profile, servesAll, request),
  );
  // An `initialize` that is already in the pipe is answered before anything else is set up.
  await new Promise(setImmediate);
  const shutdown = new Shutdown(reportBug);
  const agent = agentNeeded.then(async (answered) => {
    // Nine tenths of the program's code, none of which is needed to answer `initialize`.
    const { createAgent } = await import("./index.ts");
    const env = environment === undefined ? options.env : await environment();
    const started = createAgent(link, { ...options, env, route, onBug: reportBug });
    if (answered !== undefined) started.connection.initialized(answered.request, answered.response.authMethods ?? []);
    return started;
  });
  agent
    .then(({ connection }) => connection.closed)
    .then(shutdown.end, (cause: unknown) => {
      reportBug("begin", cause);
      process.exit(1);
    });
  onParentGone(() => shutdown.end("the editor is gone"));
  void until?.then((given) => {
    // A signal that came before keeps its exit code.
    shutdown.code ||= given;
    shutdown.end("it has ended");
  });
  return shutdown.finish(maxStopMs, async (reason) => {
    requestAgent();
    const { connection, stop } = await agent;
    // The connection is still open, so the client gets the answers to its prompts and can release its terminals.
    await stop(reason);
    // Requests that belong to no session, such as session/list, may still run and are answered first.
    connection.closeWhenAnswered(reason);
    await connection.settled;
    await options.recorder?.end();
  });
}

function unchanged(link: Link): Link {
  return link;
}

function reportBug(doing: string, cause: unknown): void {
  process.stderr.write(`bowline: ${doing}: ${describeBug(cause)}\n`);
}
