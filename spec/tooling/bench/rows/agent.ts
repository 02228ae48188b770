/**
 * Measures the whole program with the real CLI against the strongest peer.
 *
 * Both drive the same CLI against the same scripted Messages API, alternately. Where
 * there is a floor, it is the CLI itself, driven without an adapter.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { MessagesApi } from "../../../support/live/api/fake-messages-api.ts";
import { answer, call, hold, say, words } from "../../../support/live/api/model-script.ts";
import { coldContest, contest, rested, type BenchEnvironment } from "../real-clis/agent-contest.ts";
import { AgentDriver, type DriverOptions, rawHost } from "../real-clis/agent-driver.ts";
import { residentMegabytes } from "../memory.ts";
import { clocked } from "../measure.ts";
import { findPeer } from "../real-clis/peer.ts";
import type { Contest, Row, Setting } from "../row.ts";

const line = "The quick brown fox jumps over the lazy dog, 0123456789.\n";
const small = line.repeat(Math.round((80 * 1024) / line.length));
const large = line.repeat(Math.round((200 * 1024) / line.length));

export function agentRows(setting: Setting): Row[] {
  const { isQuick } = setting;
  const deltas = isQuick ? 2000 : 20_000;
  const counted = deltas.toLocaleString("en");
  const prompts = isQuick ? 5 : 20;
  // The number of bytes sent does not depend on the machine: two rounds are enough.
  const bytes = { rounds: 2, quickRounds: 1, warmUps: 0 } as const;
  return [
    {
      ...bytes,
      name: "agent: sent per byte, Read of 80 KB",
      scale: { kind: "plain", unit: "x" },
      target: 1.1,
      open: () => contest(setting, (agent, environment) => () => bytesOfRead(agent, environment)),
    },
    {
      ...bytes,
      name: "agent: sent per byte, Write of 200 KB, asked",
      scale: { kind: "plain", unit: "x" },
      target: 2.1,
      open: () => contest(setting, (agent, environment) => () => bytesOfWrite(agent, environment)),
    },
    {
      ...bytes,
      name: "agent: sent for one word of 200 KB, asked",
      scale: { kind: "plain", unit: " KB" },
      target: 4,
      open: () => contest(setting, (agent, environment) => () => kilobytesOfEdit(agent, environment)),
    },
    {
      name: `agent: CPU for ${counted} text deltas`,
      scale: { kind: "cost", unit: " ms" },
      baseline: "claude-agent-acp",
      target: 0.25,
      rounds: 7,
      quickRounds: 1,
      warmUps: 1,
      open: () => contest(setting, (agent, environment) => () => cpuOfDeltas(agent, environment, deltas)),
    },
    {
      ...bytes,
      name: `agent: updates for ${counted} text deltas`,
      scale: { kind: "plain", unit: "" },
      rounds: 1,
      open: () => contest(setting, (agent, environment) => () => updatesOfDeltas(agent, environment, deltas)),
    },
    {
      name: "agent: added before the first word",
      scale: { kind: "plain", unit: " ms" },
      rounds: 15,
      quickRounds: 5,
      warmUps: 2,
      open: () =>
        contest(setting, (agent, environment) => rested(() => addedBeforeFirstWord(agent, environment)), {
          isTapped: true,
        }),
    },
    {
      name: "agent: session/new, the first; floor: the CLI's boot",
      scale: { kind: "cost", unit: " ms" },
      rounds: 7,
      quickRounds: 2,
      warmUps: 0,
      open: () => coldContest(setting, (options) => firstSession(options), firstBoot),
    },
    {
      name: "agent: session/new, once warm; floor: the CLI's boot",
      scale: { kind: "cost", unit: " ms" },
      target: 0.15,
      rounds: 7,
      quickRounds: 2,
      warmUps: 0,
      open: () => warmContest(setting),
    },
    {
      name: "agent: prompt round trip",
      scale: { kind: "cost", unit: " ms" },
      rounds: 20,
      warmUps: 3,
      open: () =>
        contest(setting, (agent) => rested(() => clocked(() => agent.prompt("[[word]]"))), {
          floor: (host) => rested(() => host.prompt("[[word]]")),
        }),
    },
    {
      name: `agent: memory after ${prompts} prompts`,
      scale: { kind: "plain", unit: " MB" },
      rounds: 3,
      quickRounds: 1,
      warmUps: 0,
      open: () => coldContest(setting, (options) => memoryAfter(options, prompts)),
    },
    {
      name: "agent: what is installed",
      scale: { kind: "plain", unit: " KB" },
      target: 900,
      rounds: 1,
      quickRounds: 1,
      warmUps: 0,
      open: () => installedContest(setting),
    },
  ];
}

async function bytesOfRead(agent: AgentDriver, { api, freshName }: BenchEnvironment): Promise<number> {
  const name = freshName();
  const file_path = agent.place.write(`${name}.txt`, small);
  api.script(name, answer(call("Read", { file_path })), answer(say("Read.")));
  return (await agent.prompt(`[[${name}]]`)).bytes / small.length;
}

async function bytesOfWrite(agent: AgentDriver, { api, freshName }: BenchEnvironment): Promise<number> {
  const name = freshName();
  const file_path = agent.place.path(`${name}.txt`);
  api.script(name, answer(call("Write", { file_path, content: large }, { pieces: 50 })), answer(say("Written.")));
  return (await agent.prompt(`[[${name}]]`)).bytes / large.length;
}

/** The CLI edits only files it knows, so it writes the file first, not measured. */
async function kilobytesOfEdit(agent: AgentDriver, environment: BenchEnvironment): Promise<number> {
  const { api, freshName } = environment;
  const [name, edit] = [freshName(), freshName()];
  const file_path = agent.place.path(`${name}.txt`);
  const content = large.slice(0, large.length / 2) + "\nOnly this line says zebra.\n" + large.slice(large.length / 2);
  api.script(name, answer(call("Write", { file_path, content })), answer(say("Written.")));
  api.script(
    edit,
    answer(call("Edit", { file_path, old_string: "zebra", new_string: "okapi" })),
    answer(say("Edited.")),
  );
  await agent.prompt(`[[${name}]]`);
  const { bytes } = await agent.prompt(`[[${edit}]]`);
  if (!agent.place.read(`${name}.txt`).includes("okapi")) throw new Error("the edit did not happen");
  return bytes / 1024;
}

async function cpuOfDeltas(agent: AgentDriver, { api }: BenchEnvironment, count: number): Promise<number> {
  api.script("deltas", answer(words(count)));
  const before = agent.cpuMs();
  await agent.prompt("[[deltas]]");
  return agent.cpuMs() - before;
}

async function updatesOfDeltas(agent: AgentDriver, { api }: BenchEnvironment, count: number): Promise<number> {
  api.script("deltas", answer(words(count)));
  return (await agent.prompt("[[deltas]]")).updates;
}

/** The stream waits after its first word, so that nothing else is done meanwhile. */
function addedBeforeFirstWord(agent: AgentDriver, { api, freshName }: BenchEnvironment): Promise<number> {
  const name = freshName();
  api.script(name, answer(say("Hello", hold(name), " there.")));
  return agent.addedBeforeFirstWord(`[[${name}]]`, () => api.gate(name).release());
}

async function firstBoot(api: MessagesApi): Promise<number> {
  const begin = performance.now();
  const host = await rawHost(api);
  const elapsed = performance.now() - begin;
  await host.close();
  return elapsed;
}

async function firstSession(options: DriverOptions): Promise<number> {
  const agent = new AgentDriver(options);
  await agent.initialize();
  const elapsed = await clocked(() => agent.newSession());
  await agent.close();
  return elapsed;
}

/** Programs that have had a session in this directory, and time to prepare for the next. */
async function warmContest(setting: Setting): Promise<Contest> {
  const { contestants, close } = await contest(setting, (agent) => async () => {
    await new Promise((resolve) => setTimeout(resolve, preparedMs));
    const elapsed = await clocked(() => agent.newSession());
    await agent.closeSession();
    return elapsed;
  });
  const api = await MessagesApi.start({});
  return {
    contestants: { ...(Object.keys(contestants).length > 0 && { floor: () => firstBoot(api) }), ...contestants },
    close: async () => void (await Promise.all([close?.(), api.close()])),
  };
}

/** More than the second and a half we wait, and a boot on a busy machine. */
const preparedMs = 5000;

async function memoryAfter(options: DriverOptions, prompts: number): Promise<number> {
  const agent = await new AgentDriver(options).warm("[[word]]");
  for (let i = 1; i < prompts; i++) await agent.prompt("[[word]]");
  const megabytes = residentMegabytes(agent.pid);
  await agent.close();
  return megabytes;
}

function installedContest({ program }: Setting): Contest {
  const peer = findPeer();
  return {
    contestants: {
      ours: () => statSync(program("bowline")).size / 1024,
      ...(peer && { "claude-agent-acp": () => kilobytesBelow(peer.modules) }),
    },
  };
}

function kilobytesBelow(directory: string): number {
  let bytes = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return bytes / 1024;
}
