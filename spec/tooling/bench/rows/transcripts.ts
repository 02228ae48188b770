/**
 * Measures listing and loading sessions from disk: 2,000 of them, and one of 20 MB.
 *
 * Programs are measured over their wire; what a program does not offer is left out. The
 * floor of a list is to stat each file, the floor of a load the CLI itself resuming the
 * same conversation. Our own replay alone is measured against parsing its lines.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectSlug } from "../../../../lib/claude/index.ts";
import { ClaudeHost } from "../../../support/live/claude-host.ts";
import { MessagesApi } from "../../../support/live/api/fake-messages-api.ts";
import { killLeftovers } from "../../../support/processes.ts";
import { workspace, type Workspace } from "../../../support/live/workspace.ts";
import { coldContest } from "../real-clis/agent-contest.ts";
import { AgentDriver, type DriverOptions } from "../real-clis/agent-driver.ts";
import { clocked, timedAsync } from "../measure.ts";
import type { Contest, Row, Setting } from "../row.ts";
import { replayedTranscript } from "../replayed-transcript.ts";
import { longTranscript, shortTranscript, uuidOf } from "../transcript-files.ts";

export function transcriptRows(setting: Setting): Row[] {
  const count = setting.isQuick ? 500 : 2000;
  const megabytes = setting.isQuick ? 5 : 20;
  const rounds = { rounds: 7, quickRounds: 2, warmUps: 1 } as const;
  return [
    {
      ...rounds,
      name: `transcripts: a page of ${count.toLocaleString("en")}; floor: their times`,
      scale: { kind: "cost", unit: " ms" },
      open: () => listContest(setting, count),
    },
    {
      ...rounds,
      name: `transcripts: load of ${megabytes} MB, to its answer; floor: the CLI's resume`,
      scale: { kind: "cost", unit: " ms" },
      open: () => loadContest(setting, megabytes),
    },
    {
      ...rounds,
      name: `transcripts: ${megabytes} MB told and folded, CPU; floor: JSON.parse`,
      scale: { kind: "cost", unit: " ms" },
      open: () => replayContest(megabytes),
    },
  ];
}

/** Each program has a home of its own, so each gets its own files, written once. */
async function listContest(setting: Setting, count: number): Promise<Contest> {
  const drivers = new Map<string, AgentDriver>();
  const closers: (() => Promise<void>)[] = [];
  const place = workspace();
  const projects = fill(place, count);
  const { contestants, close } = await coldContest(setting, async (options: DriverOptions) => {
    const agent = drivers.get(options.program) ?? (await listed(options, count));
    if (!drivers.has(options.program)) closers.push(() => agent.close());
    drivers.set(options.program, agent);
    return clocked(() => agent.call("session/list", {}));
  });
  return {
    contestants: { floor: () => clocked(async () => void timesBelow(projects)), ...contestants },
    close: async () => {
      await Promise.all([close?.(), place.dispose(), ...closers.map((end) => end())]);
    },
  };
}

async function listed(options: DriverOptions, count: number): Promise<AgentDriver> {
  const agent = new AgentDriver(options);
  fill(agent.place, count);
  await agent.initialize();
  return agent;
}

async function loadContest(setting: Setting, megabytes: number): Promise<Contest> {
  const text = longTranscript(megabytes * 1024 * 1024);
  const load = async (options: DriverOptions): Promise<number> => {
    const agent = new AgentDriver(options);
    const sessionId = save(agent.place, text);
    await agent.initialize();
    const elapsed = await clocked(() =>
      agent.call("session/load", { sessionId, cwd: agent.place.cwd, mcpServers: [] }),
    );
    await agent.close();
    return elapsed;
  };
  return coldContest(setting, load, (api) => resume(api, text));
}

/** The CLI alone, until it has answered `initialize` with the resumed conversation. */
async function resume(api: MessagesApi, text: string): Promise<number> {
  const place = workspace();
  const id = save(place, text);
  const begin = performance.now();
  const host = new ClaudeHost({ api, workspace: place, args: [`--resume=${id}`] });
  await host.initialize();
  const elapsed = performance.now() - begin;
  await host.kill();
  killLeftovers(place.root);
  await place.dispose();
  return elapsed;
}

function replayContest(megabytes: number): Contest {
  const root = mkdtempSync(join(tmpdir(), "bowline-bench-"));
  const { path, replay } = replayedTranscript(root, 1, megabytes);
  return {
    contestants: {
      floor: () =>
        timedAsync(async () => {
          for (const line of readFileSync(path, "utf8").split("\n")) if (line !== "") JSON.parse(line);
        }),
      ours: () => timedAsync(replay),
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** So many conversations in forty projects; gives the directory above them. */
function fill({ home }: Workspace, count: number): string {
  const projects = join(home, ".claude", "projects");
  for (let i = 0; i < count; i++) {
    const cwd = `/home/dev/project/${i % 40}`;
    const project = join(projects, projectSlug(cwd));
    mkdirSync(project, { recursive: true });
    const path = join(project, `${uuidOf(i)}.jsonl`);
    writeFileSync(path, shortTranscript(i, cwd));
    utimesSync(path, 1_700_000_000 + i, 1_700_000_000 + i);
  }
  return projects;
}

/** The conversation of a project; gives its id. */
function save({ home, cwd }: Workspace, text: string): string {
  const project = join(home, ".claude", "projects", projectSlug(cwd));
  mkdirSync(project, { recursive: true });
  const id = uuidOf(1);
  writeFileSync(join(project, `${id}.jsonl`), text.replaceAll('"cwd":"/home/dev"', `"cwd":${JSON.stringify(cwd)}`));
  return id;
}

function timesBelow(projects: string): number {
  let newest = 0;
  for (const project of readdirSync(projects)) {
    const directory = join(projects, project);
    for (const name of readdirSync(directory)) newest = Math.max(newest, statSync(join(directory, name)).mtimeMs);
  }
  return newest;
}
