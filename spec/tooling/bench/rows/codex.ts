/**
 * Measures the whole program with the real Codex against codex-acp.
 *
 * Both drive the same binary against the same scripted Responses API, alternately, each with
 * a home of its own. The floor is `codex app-server` without an adapter.
 */
import { mkdirSync } from "node:fs";
import { AppServer } from "../../../../lib/codex/app-server/app-server.ts";
import { codexLauncher } from "../../../../lib/codex/index.ts";
import { unknown } from "../../../../lib/schema/index.ts";
import { realTimer } from "../../../../lib/wire/index.ts";
import { patch, ResponsesApi, run, say } from "../../../support/live/api/fake-responses-api.ts";
import { codexEnvironment } from "../../../support/live/real-codex.ts";
import { workspace, type Workspace } from "../../../support/live/workspace.ts";
import { rested } from "../real-clis/agent-contest.ts";
import { AgentDriver, type OtherDriverOptions } from "../real-clis/agent-driver.ts";
import { clocked, type ContestantName, type Run } from "../measure.ts";
import { residentMegabytes } from "../memory.ts";
import { findCodexPeer } from "../real-clis/peer.ts";
import type { Contest, Row, Setting } from "../row.ts";

const line = "The quick brown fox jumps over the lazy dog, 0123456789.\n";
const small = line.repeat(Math.round((80 * 1024) / line.length));
const large = line.repeat(Math.round((200 * 1024) / line.length));

/** The fake API of a contest; scripts are added while it runs. */
interface CodexBench {
  readonly api: ResponsesApi;
  readonly freshName: () => string;
}

export function codexRows(setting: Setting): Row[] {
  const { isQuick } = setting;
  const deltas = isQuick ? 2000 : 10_000;
  const counted = deltas.toLocaleString("en");
  const prompts = isQuick ? 5 : 20;
  const bytes = { rounds: 2, quickRounds: 1, warmUps: 0 } as const;
  return [
    {
      name: "codex: start until initialize is answered",
      scale: { kind: "plain", unit: " ms" },
      rounds: 9,
      quickRounds: 3,
      warmUps: 1,
      open: () => coldContest(setting, (options) => started(options)),
    },
    {
      name: "codex: session/new, the first; floor: app-server and thread/start",
      scale: { kind: "cost", unit: " ms" },
      rounds: 7,
      quickRounds: 2,
      warmUps: 1,
      open: () => coldContest(setting, (options) => firstSession(options), firstThread),
    },
    {
      name: "codex: session/new once Codex runs; floor: thread/start",
      scale: { kind: "cost", unit: " ms" },
      target: 1.3,
      rounds: 15,
      quickRounds: 5,
      warmUps: 2,
      open: () => sessionContest(setting),
    },
    {
      name: `codex: memory after ${prompts} prompts`,
      scale: { kind: "plain", unit: " MB" },
      rounds: 3,
      quickRounds: 1,
      warmUps: 0,
      open: () => coldContest(setting, (options) => memoryAfter(options, prompts)),
    },
    {
      ...bytes,
      name: "codex: sent per byte, command output of 80 KB",
      scale: { kind: "plain", unit: "x" },
      open: () => contest(setting, (agent, bench) => () => bytesOfOutput(agent, bench)),
    },
    {
      ...bytes,
      name: "codex: sent per byte, patch with a new file of 200 KB",
      scale: { kind: "plain", unit: "x" },
      open: () => contest(setting, (agent, bench) => () => bytesOfNewFile(agent, bench)),
    },
    {
      ...bytes,
      name: "codex: sent for a patch of one line in 400 KB",
      scale: { kind: "plain", unit: " KB" },
      open: () => contest(setting, (agent, bench) => () => kilobytesOfPatch(agent, bench)),
    },
    {
      name: `codex: CPU for ${counted} text deltas`,
      scale: { kind: "cost", unit: " ms" },
      baseline: "codex-acp",
      rounds: 7,
      quickRounds: 1,
      warmUps: 1,
      open: () => contest(setting, (agent, bench) => () => cpuOfDeltas(agent, bench, deltas)),
    },
    {
      ...bytes,
      name: `codex: updates for ${counted} text deltas`,
      scale: { kind: "plain", unit: "" },
      rounds: 1,
      open: () => contest(setting, (agent, bench) => () => updatesOfDeltas(agent, bench, deltas)),
    },
  ];
}

async function started(options: OtherDriverOptions): Promise<number> {
  const begin = performance.now();
  const agent = new AgentDriver(options);
  await agent.initialize();
  const elapsed = performance.now() - begin;
  await agent.close();
  return elapsed;
}

async function firstSession(options: OtherDriverOptions): Promise<number> {
  const agent = new AgentDriver(options);
  await agent.initialize();
  const elapsed = await clocked(() => agent.newSession());
  await agent.close();
  return elapsed;
}

async function memoryAfter(options: OtherDriverOptions, prompts: number): Promise<number> {
  const agent = await new AgentDriver(options).warm("[[word]]");
  for (let i = 1; i < prompts; i++) await agent.prompt("[[word]]");
  const megabytes = residentMegabytes(agent.pid);
  await agent.close();
  return megabytes;
}

async function bytesOfOutput(agent: AgentDriver, { api, freshName }: CodexBench): Promise<number> {
  const name = freshName();
  const path = agent.place.write(`${name}.txt`, small);
  api.script(name, run(`cat ${path}`, { yield_time_ms: 10_000 }), say("Read."));
  return (await agent.prompt(`[[${name}]]`)).bytes / small.length;
}

async function bytesOfNewFile(agent: AgentDriver, { api, freshName }: CodexBench): Promise<number> {
  const name = freshName();
  const added = large.trimEnd().replaceAll(/^/gm, "+");
  api.script(name, patch(`*** Begin Patch\n*** Add File: ${name}.txt\n${added}\n*** End Patch`), say("Written."));
  const { bytes } = await agent.prompt(`[[${name}]]`);
  if (agent.place.read(`${name}.txt`).length < large.length) throw new Error("the file was not written");
  return bytes / large.length;
}

async function kilobytesOfPatch(agent: AgentDriver, { api, freshName }: CodexBench): Promise<number> {
  const name = freshName();
  agent.place.write(`${name}.txt`, `${large}Only this line says zebra.\n${large}`);
  const change = "@@\n-Only this line says zebra.\n+Only this line says okapi.";
  api.script(name, patch(`*** Begin Patch\n*** Update File: ${name}.txt\n${change}\n*** End Patch`), say("Edited."));
  const { bytes } = await agent.prompt(`[[${name}]]`);
  if (!agent.place.read(`${name}.txt`).includes("okapi")) throw new Error("the patch was not applied");
  return bytes / 1024;
}

async function cpuOfDeltas(agent: AgentDriver, { api }: CodexBench, count: number): Promise<number> {
  api.script("deltas", say("word ".repeat(count)));
  const before = agent.cpuMs();
  await agent.prompt("[[deltas]]");
  return agent.cpuMs() - before;
}

async function updatesOfDeltas(agent: AgentDriver, { api }: CodexBench, count: number): Promise<number> {
  api.script("deltas", say("word ".repeat(count)));
  return (await agent.prompt("[[deltas]]")).updates;
}

/** Programs whose app-server runs. No session is prepared ahead: every one is a `thread/start`. */
async function sessionContest(setting: Setting): Promise<Contest> {
  const { contestants, close } = await contest(
    setting,
    (agent) =>
      rested(async () => {
        const elapsed = await clocked(() => agent.newSession());
        await agent.closeSession().catch(() => {});
        return elapsed;
      }),
    { BOWLINE_PREWARM: "0" },
  );
  const bench = await start();
  const server = await openServer(bench.api);
  return {
    contestants: { floor: rested(() => clocked(() => server.startThread())), ...contestants },
    close: async () => {
      await Promise.all([close?.(), server.close()]);
      await bench.api[Symbol.asyncDispose]();
    },
  };
}

async function firstThread(api: ResponsesApi): Promise<number> {
  const begin = performance.now();
  const server = await openServer(api);
  await server.startThread();
  const elapsed = performance.now() - begin;
  await server.close();
  return elapsed;
}

interface RawServer {
  readonly startThread: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** `codex app-server` without an adapter, initialized. */
async function openServer(api: ResponsesApi): Promise<RawServer> {
  const place = workspace();
  const server = new AppServer(codexLauncher(codexEnvironment(api.port, place.home))(), {
    after: realTimer,
    onNotification: () => {},
    onRequest: async () => ({}),
    onClosed: () => {},
    onBug: () => {},
  });
  const clientInfo = { name: "bench", title: "Bench", version: "0" };
  await server.request("initialize", { clientInfo, capabilities: { experimentalApi: true } }, unknown);
  server.notify("initialized");
  return {
    startThread: () => server.request("thread/start", { cwd: place.cwd }, unknown),
    close: async () => {
      await server.close("the bench is over");
      await place.dispose();
    },
  };
}

/** Warm sessions, one for each contestant, with the same work. */
async function contest(
  setting: Setting,
  measured: (agent: AgentDriver, bench: CodexBench) => Run,
  env: Readonly<Record<string, string>> = {},
): Promise<Contest> {
  const bench = await start();
  const contestants: Partial<Record<ContestantName, Run>> = {};
  const agents: AgentDriver[] = [];
  for (const [name, options] of programs(setting, bench.api, env)) {
    const agent = await new AgentDriver(options).warm("[[word]]");
    agents.push(agent);
    contestants[name] = measured(agent, bench);
  }
  return {
    contestants,
    close: async () => {
      await Promise.all(agents.map((agent) => agent.close()));
      await bench.api[Symbol.asyncDispose]();
    },
  };
}

/** A program of its own for each run. */
async function coldContest(
  setting: Setting,
  measured: (options: OtherDriverOptions) => Promise<number>,
  floor?: (api: ResponsesApi) => Promise<number>,
): Promise<Contest> {
  const { api } = await start();
  const contestants: Partial<Record<ContestantName, Run>> = {};
  if (floor !== undefined) contestants.floor = () => floor(api);
  for (const [name, options] of programs(setting, api, {})) contestants[name] = () => measured(options);
  return { contestants, close: () => api[Symbol.asyncDispose]() };
}

async function start(): Promise<CodexBench> {
  let last = 0;
  return { api: await ResponsesApi.start({ word: [say("Hello there.")] }), freshName: () => `run-${++last}` };
}

function programs(
  { program }: Setting,
  api: ResponsesApi,
  more: Readonly<Record<string, string>>,
): readonly (readonly [ContestantName, OtherDriverOptions])[] {
  const environment = (place: Workspace): Record<string, string> => {
    mkdirSync(place.home, { recursive: true });
    const env = codexEnvironment(api.port, place.home, {}, more);
    return { ...env, CODEX_PATH: env["CODEX_EXECUTABLE"] ?? "" };
  };
  const peer = findCodexPeer();
  return [
    ["ours", { program: program("bowline"), args: ["agent", "--route", "codex"], environment }],
    ...(peer === undefined ? [] : ([["codex-acp", { program: peer.program, args: [], environment }]] as const)),
  ];
}
