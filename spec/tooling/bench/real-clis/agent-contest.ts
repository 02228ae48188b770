/**
 * Runs the programs that drive the real CLI, side by side on one API.
 *
 * Each has a project and a home of its own. A peer or a CLI that cannot be installed is
 * left out. Independent of what is measured.
 */
import { MessagesApi } from "../../../support/live/api/fake-messages-api.ts";
import { claudeExecutable } from "../../../support/live/real-cli.ts";
import { answer, say } from "../../../support/live/api/model-script.ts";
import { AgentDriver, type DriverOptions, type RawHost, rawHost } from "./agent-driver.ts";
import type { ContestantName, Run } from "../measure.ts";
import { findPeer } from "./peer.ts";
import type { Contest, Setting } from "../row.ts";

/** What all contestants of a row share. */
export interface BenchEnvironment {
  readonly api: MessagesApi;
  /** A name that was not used before, because the CLI treats known names differently. */
  readonly freshName: () => string;
}

export interface ContestOptions {
  readonly isTapped?: boolean;
  readonly floor?: (host: RawHost) => Run;
}

/** Warm sessions, one for each contestant, with the same work. */
export async function contest(
  setting: Setting,
  run: (agent: AgentDriver, environment: BenchEnvironment) => Run,
  { isTapped = false, floor }: ContestOptions = {},
): Promise<Contest> {
  const environment = await withEnvironment();
  const tap = isTapped ? setting.program("claude-tap") : undefined;
  const contestants: Partial<Record<ContestantName, Run>> = {};
  const closers: (() => Promise<void>)[] = [];
  if (floor !== undefined && hasClaude()) {
    const host = await rawHost(environment.api);
    closers.push(host.close);
    contestants.floor = floor(host);
  }
  for (const [name, program] of programs(setting)) {
    const agent = new AgentDriver({ api: environment.api, program, tap });
    closers.push(() => agent.close());
    contestants[name] = run(await agent.warm("[[word]]"), environment);
  }
  return { contestants, close: () => closeAll(closers, environment) };
}

/** The CLI still works after its response, which would slow the next contestant down. */
export function rested(run: () => Promise<number>): Run {
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    return run();
  };
}

const settleMs = 150;

/** A program of its own for each run. */
export async function coldContest(
  setting: Setting,
  run: (options: DriverOptions) => Promise<number>,
  floor?: (api: MessagesApi) => Promise<number>,
): Promise<Contest> {
  const environment = await withEnvironment();
  const { api } = environment;
  const contestants: Partial<Record<ContestantName, Run>> = {};
  if (floor !== undefined && hasClaude()) contestants.floor = () => floor(api);
  for (const [name, program] of programs(setting)) contestants[name] = () => run({ api, program });
  return { contestants, close: () => closeAll([], environment) };
}

async function closeAll(closers: readonly (() => Promise<void>)[], { api }: BenchEnvironment): Promise<void> {
  await Promise.all(closers.map((close) => close()));
  await api.close();
}

async function withEnvironment(): Promise<BenchEnvironment> {
  const api = await MessagesApi.start({ word: [answer(say("Hello", " there."))] });
  let last = 0;
  return { api, freshName: () => `run-${++last}` };
}

/** The contestants that are installed. */
function programs({ program }: Setting): readonly (readonly [ContestantName, string])[] {
  if (!hasClaude()) return [];
  const peer = findPeer();
  return [["ours", program("bowline")], ...(peer === undefined ? [] : [["claude-agent-acp", peer.program] as const])];
}

function hasClaude(): boolean {
  try {
    return claudeExecutable() !== "";
  } catch (cause) {
    process.stderr.write(`the Claude CLI is not there: ${String(cause)}\n`);
    return false;
  }
}
