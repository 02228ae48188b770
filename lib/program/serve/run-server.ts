/**
 * Runs `bowline serve`: starts the HTTP server, prints its address, and on a signal
 * stops the server with every process it started.
 */
import { readFileSync, statSync } from "node:fs";
import { devNull } from "node:os";
import {
  type AgentOptions,
  areBothInstalled,
  createAgent,
  defaultRoute,
  type Route,
  routes,
} from "../../agent/index.ts";
import { realTimer, describeBug, Shutdown } from "../../wire/index.ts";
import { type EngineChoice, newToken, type ServerOptions, startServer } from "../../serve/index.ts";
import { hasCodex, readRows, relocate, readTape, type Tape, tapeLink, type TapeLink } from "../../tape/index.ts";
import { processCounts } from "../../process/index.ts";
import { version } from "../../version.ts";
import { ClaudeNotFound, locateClaude } from "../../claude/index.ts";
import { locateCodex } from "../../codex/index.ts";
import { EngineFailure } from "../../engine/index.ts";
import { CommandFailure, type ProgramStreams } from "../command.ts";
import {
  branchingLink,
  type BranchingTape,
  demoTapeText,
  readBranchingTape,
  recordedFile,
} from "../demo/branching-tape.ts";
import { openSecretAddress } from "../open-browser.ts";
import { printLine } from "../print.ts";
import { findShared } from "../share/find-shared.ts";
import { agentSources } from "./agent-sources.ts";

export interface ServeCommandOptions extends Pick<
  ServerOptions,
  | "host"
  | "port"
  | "roots"
  | "maxSessions"
  | "maxConnections"
  | "names"
  | "origins"
  | "keepMs"
  | "observerToken"
  | "isStrict"
> {
  /** A random token is generated when this is undefined. */
  readonly token: string | undefined;
  /** The engine; undefined for the default. */
  readonly route: Route | undefined;
  /** The command lines of other agents. */
  readonly agents: readonly string[];
  /** The path of a tape to play instead of starting the CLI. */
  readonly tape: string | undefined;
  /** Plays the tape of `bowline demo`. */
  readonly isDemo: boolean;
  /** Opens the page in the user's browser. */
  readonly opens: boolean;
  /** Keeps one CLI started ahead of the next session. */
  readonly prewarms: boolean;
}

/** How long child processes have to exit before the program exits without them. */
const maxStopMs = 4500;

/** Resolves with the exit code once no process is left running. */
export async function serve(
  { tape, isDemo, token = newToken(), prewarms, route, agents, opens, ...params }: ServeCommandOptions,
  { stdout, stderr, env }: ProgramStreams,
): Promise<number> {
  for (const root of params.roots) {
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new CommandFailure(`${root} is not a directory; name one that exists`);
  }
  const played = tapeOptions({ tape, isDemo });
  const isPlayed = played.launcher !== undefined;
  // The demo and tapes are recordings of Claude.
  const engine = isPlayed ? "claude" : (route ?? defaultRoute(env));
  const onBug = (doing: string, cause: unknown): void =>
    void printLine(stderr, `bowline: ${doing}: ${describeBug(cause)}`);
  const problem = (): string | undefined => (isPlayed ? undefined : missingEngine(engine, env));
  const shutdown = new Shutdown(onBug);
  const server = await startServer({
    ...params,
    token,
    version,
    isRecording: isPlayed,
    problem,
    agentName: engine,
    engines: !isPlayed && areBothInstalled(env) ? engineChoices(engine) : [],
    agents: agentSources(agents, [engine], params.roots[0]),
    counters: () => ({ cliStarts: processCounts.started, cliCrashes: processCounts.crashed }),
    startAgent: (link) => {
      const { maxSessions } = params;
      return createAgent(link, { ...played, route: engine, maxSessions, prewarms: prewarms && !isPlayed, onBug });
    },
    onBug,
  }).catch((cause: unknown) => {
    throw cannotListen(cause, params);
  });
  printLine(stdout, `${server.url}#token=${encodeURIComponent(token)}`);
  if (params.observerToken !== undefined)
    printLine(stdout, `${server.url}#token=${encodeURIComponent(params.observerToken)}`);
  const what = isPlayed ? "whatever you say there, a recording is played" : "Ctrl-C ends every session";
  const missing = problem();
  if (missing !== undefined) printLine(stderr, `bowline: no session can be opened yet: ${missing}`);
  const opened = opens ? await openSecretAddress(`${server.url}#token=${encodeURIComponent(token)}`, env) : undefined;
  const next = opened?.isOpened === true ? "the page opens in your browser" : "open this address in a browser";
  printLine(stderr, `bowline: ${next}; ${what}`);
  const stopSearch = findShared({ env, join: (source) => server.hub.join(source) });
  return shutdown.finish(maxStopMs, (reason) => {
    stopSearch();
    opened?.remove();
    return server.close(reason);
  });
}

/** Why the engine cannot be started, with what to do; undefined when its CLI is installed. */
function missingEngine(engine: Route, env: ProgramStreams["env"]): string | undefined {
  try {
    if (engine !== "codex") locateClaude({ env });
    if (engine !== "claude") locateCodex({ env });
    return undefined;
  } catch (cause) {
    if (cause instanceof ClaudeNotFound || cause instanceof EngineFailure) return cause.message;
    throw cause;
  }
}

/** What a new session can be opened with, the default first. */
function engineChoices(first: Route): readonly EngineChoice[] {
  return routes
    .toSorted((a, b) => Number(b === first) - Number(a === first))
    .map((value) => ({ value, name: engineNames[value] }));
}

const engineNames: { readonly [R in Route]: string } = {
  claude: "Claude",
  codex: "Codex",
  duet: "Duet: Claude and Codex both answer",
};

/** Agent options that play a tape in every session instead of starting the CLI; empty without a tape. */
function tapeOptions({ tape, isDemo }: Pick<ServeCommandOptions, "tape" | "isDemo">): AgentOptions {
  // No configuration directory: a tape cannot resume saved conversations of the real CLI.
  const env = { CLAUDE_CONFIG_DIR: devNull };
  if (tape !== undefined) {
    const read = tapeAt(tape);
    return { env, launcher: ({ cwd }) => ({ link: waitingLink(relocate(read, cwd)), ready: () => {} }) };
  }
  if (!isDemo) return {};
  let branching: BranchingTape | undefined;
  return {
    env,
    launcher: ({ cwd }) => {
      branching = readBranchingTape(demoTapeText(), cwd);
      return { link: branchingLink(branching, { after: realTimer }), ready: () => {} };
    },
    textOf: (path) => branching && recordedFile(branching, path),
  };
}

/** Plays a tape that waits for the user's prompts, answers and interrupts, but skips control requests that only the recorded host sent. */
function waitingLink(tape: Tape): TapeLink {
  const link: TapeLink = tapeLink(tape, {
    after: realTimer,
    onWait: (frame) => {
      if (frame?.type === "request" && frame.subtype !== "initialize" && frame.subtype !== "interrupt") link.skip();
    },
  });
  return link;
}

function tapeAt(path: string): Tape {
  try {
    const text = readFileSync(path, "utf8");
    if (!hasCodex(readRows(text))) return readTape(text);
  } catch (cause) {
    throw new CommandFailure(`the tape cannot be read: ${cause instanceof Error ? cause.message : "no reason given"}`);
  }
  throw new CommandFailure("a recording of Codex cannot be played here; play it with bowline replay --codex");
}

function cannotListen(cause: unknown, { host, port }: Pick<ServeCommandOptions, "host" | "port">): unknown {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE") return new CommandFailure(`port ${port} is taken; choose another with --port`);
  if (code === "EACCES") return new CommandFailure(`port ${port} may not be used; choose one above 1023 with --port`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new CommandFailure(`${host} is not an address of this machine; see --host`);
  return cause;
}
