/**
 * The environment of one live test: a fake API, a project, a home directory, and a check
 * for leftover processes.
 *
 * Everything that the test starts through the environment is stopped at its end, also
 * when it fails. A process that belongs to the project and is still alive then fails the
 * test by name.
 */
import assert from "node:assert/strict";
import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { fileURLToPath } from "node:url";
import { AcpClient } from "./client/acp-client.ts";
import type { ProgramOptions } from "./agent-program.ts";
import { ClaudeHost, type HostOptions } from "./claude-host.ts";
import { MessagesApi } from "./api/fake-messages-api.ts";
import { killLeftovers, waitUntilGone } from "../processes.ts";
import { claudeExecutable, cleanEnvironment } from "./real-cli.ts";
import type { Script } from "./api/model-script.ts";
import { throughEditor } from "./client/editor-mode.ts";
import { workspace, type Workspace } from "./workspace.ts";

/** What the tests of one engine need: the API that its CLI talks to, and the environment of the agent. */
export interface LiveBackend<Api extends AsyncDisposable> {
  startApi(): Promise<Api>;
  environment(api: Api, place: Workspace, more: AgentOptions["env"]): Record<string, string>;
}

/** What the tests of every engine are given. */
export interface BackendEnvironment<Api> {
  readonly api: Api;
  readonly place: Workspace;
  /** Registers something to be disposed at the end of the test, last in, first out. */
  own<T extends AsyncDisposable>(thing: T): T;
  /** An ACP agent with the real CLI: the built program by default. */
  client(options?: AgentOptions): AcpClient;
  /** The command line that `client` would start, for raw lines: `own(new AgentProgram(program()))`. */
  program(options?: AgentOptions): ProgramOptions;
}

export interface LiveEnvironment extends BackendEnvironment<MessagesApi> {
  /** The real CLI without Bowline, initialized. */
  host(options?: Partial<HostOptions>): Promise<ClaudeHost>;
}

export interface AgentOptions {
  /** The command and its arguments. */
  readonly agent?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly capabilities?: ClientCapabilities;
}

/** A test that takes longer is stuck; the soak test sets a limit of its own. */
const playLimitMs = 180_000 + Number(process.env["BOWLINE_SOAK"] ?? 0) * 60_000;

const builtAgent = [process.execPath, fileURLToPath(new URL("../../../dist/bowline.mjs", import.meta.url))];

/** Claude. */
export function claudeBackend(scripts: Readonly<Record<string, Script>>): LiveBackend<MessagesApi> {
  return {
    startApi: () => MessagesApi.start(scripts),
    environment: (api, place, more) =>
      cleanEnvironment(api.port, place.home, {
        BOWLINE_CLAUDE: claudeExecutable(),
        // A test file that looks at the process table sets it to 0 itself.
        BOWLINE_PREWARM: process.env["BOWLINE_PREWARM"],
        ...throughEditor,
        ...more,
      }),
  };
}

export function withEnvironment(
  scripts: Readonly<Record<string, Script>>,
  play: (environment: LiveEnvironment) => Promise<void>,
): Promise<void> {
  return withBackend(claudeBackend(scripts), (environment) => {
    const { api, place, own } = environment;
    const host = async (options: Partial<HostOptions> = {}): Promise<ClaudeHost> => {
      const started = own(new ClaudeHost({ api, workspace: place, ...options }));
      await started.initialize();
      return started;
    };
    return play({ ...environment, host });
  });
}

/** The environment with any engine. */
export async function withBackend<Api extends AsyncDisposable>(
  backend: LiveBackend<Api>,
  play: (environment: BackendEnvironment<Api>) => Promise<void>,
): Promise<void> {
  await using place = workspace();
  await using api = await backend.startApi();
  const owned: AsyncDisposable[] = [];
  const own = <T extends AsyncDisposable>(thing: T): T => {
    owned.unshift(thing);
    return thing;
  };
  const program = ({ agent = builtAgent, args = [], env = {} }: AgentOptions = {}): ProgramOptions => {
    const [command = process.execPath, ...first] = agent;
    const all = backend.environment(api, place, env);
    return { command, args: [...first, ...args], env: all, cwd: place.cwd };
  };
  const client = (options: AgentOptions = {}): AcpClient =>
    own(new AcpClient({ ...program(options), ...(options.capabilities && { capabilities: options.capabilities }) }));
  try {
    await within(playLimitMs, play({ api, place, own, client, program }));
    for (const thing of owned) await thing[Symbol.asyncDispose]();
    const left = await waitUntilGone(place.root);
    assert.deepEqual(left, [], "processes outlive the test");
  } catch (cause) {
    // Servers of a play that failed would keep the test itself alive.
    killLeftovers(place.root);
    await Promise.allSettled(owned.map((thing) => thing[Symbol.asyncDispose]()));
    throw cause;
  } finally {
    killLeftovers(place.root);
  }
}

async function within(limitMs: number, play: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the play was not over after ${limitMs / 1000} s`)), limitMs);
  });
  await Promise.race([play, limit]).finally(() => clearTimeout(timer));
}
