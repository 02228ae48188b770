/**
 * Measures how long the built bridge takes to end many sessions at once.
 *
 * Each session runs a CLI of a few shell lines that answers `initialize`, ignores
 * every other line and exits at the end of its input. As a program:
 * `node --import tsx spec/support/bridge/many-sessions.ts 100 200 400 800`.
 */
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { programArgs } from "../built-program.ts";

/** The script of a CLI that answers `initialize` and then runs `then`. */
export function cliScript(then: string): string {
  const response = { subtype: "success", request_id: "bowline-1", response: {} };
  const answer = JSON.stringify({ type: "control_response", response });
  return `#!/bin/sh\nread -r line\necho '${answer}'\n${then}\n`;
}

const usualCli = cliScript("while read -r line; do :; done");

/** How the sessions are ended: each is killed by the client, or the client ends its output. */
export type HowToEnd = "kill" | "hang up";

export interface EndingTimes {
  /** From the first request to the first answer; for "hang up" the same as `allMs`. */
  readonly firstMs: number;
  /** From the first request to the last answer or the exit of the bridge. */
  readonly allMs: number;
  /** The processor time that the bridge itself used from the first request on. */
  readonly cpuMs: number;
}

export interface RunningBridge {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly send: (...messages: readonly object[]) => void;
  readonly next: () => Promise<Readonly<Record<string, unknown>>>;
}

/** Opens `count` sessions in one bridge and ends all of them. */
export function endSessions(count: number, how: HowToEnd): Promise<EndingTimes> {
  return withSessions(count, usualCli, (bridge, ids) => endAll(bridge, ids, how));
}

/** Opens `count` sessions in one bridge, each with a CLI of this script. */
export async function withSessions<T>(
  count: number,
  script: string,
  use: (bridge: RunningBridge, ids: readonly unknown[]) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "many-sessions-"));
  try {
    const path = join(directory, "claude");
    writeFileSync(path, script, { mode: 0o755 });
    const bridge = startBridge(path, directory);
    try {
      return await use(bridge, await open(bridge, count, directory));
    } finally {
      bridge.child.kill("SIGKILL");
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function startBridge(cliPath: string, cwd: string): RunningBridge {
  const child = spawn(process.execPath, [...programArgs, "bridge"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], HOME: cwd, BOWLINE_CLAUDE: cliPath },
  });
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    // One write, so that all messages arrive at once.
    send: (...messages) => void child.stdin.write(messages.map((one) => `${JSON.stringify(one)}\n`).join("")),
    next: async () => {
      const { value, done } = await lines.next();
      assert.ok(done !== true, "the bridge ended");
      return JSON.parse(value);
    },
  };
}

async function open({ send, next }: RunningBridge, count: number, cwd: string): Promise<readonly unknown[]> {
  const payload = { prompt: "", cwd, options: {} };
  send(...Array.from({ length: count }, (_, i) => ({ type: "session.create", id: `create-${i}`, payload })));
  const ids: unknown[] = [];
  while (ids.length < count) {
    const { type, session_id } = await next();
    assert.equal(type, "session.created");
    ids.push(session_id);
  }
  return ids;
}

async function endAll(bridge: RunningBridge, ids: readonly unknown[], how: HowToEnd): Promise<EndingTimes> {
  const { child, send, next } = bridge;
  const cpuBefore = cpuMsOf(child.pid);
  const began = performance.now();
  const elapsed = (): number => performance.now() - began;
  if (how === "hang up") {
    const exited = once(child, "exit");
    child.stdin.end();
    assert.deepEqual(await exited, [0, null]);
    return { firstMs: elapsed(), allMs: elapsed(), cpuMs: Number.NaN };
  }
  send(...ids.map((session_id, i) => ({ type: "session.kill", id: `kill-${i}`, session_id, payload: {} })));
  let firstMs: number | undefined;
  for (const _ of ids) {
    assert.equal((await next())["type"], "session.killed");
    firstMs ??= elapsed();
  }
  return { firstMs: firstMs ?? elapsed(), allMs: elapsed(), cpuMs: cpuMsOf(child.pid) - cpuBefore };
}

/** User and system time so far; proc(5) counts them in hundredths of a second. */
function cpuMsOf(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

if (process.argv[1] === import.meta.filename) {
  for (const word of process.argv.slice(2)) {
    for (const how of ["kill", "hang up"] as const) {
      const { firstMs, allMs, cpuMs } = await endSessions(Number(word), how);
      const [first, all, cpu] = [firstMs, allMs, cpuMs].map((ms) => `${Math.round(ms)} ms`.padStart(9));
      process.stdout.write(`${word.padStart(4)} ${how.padEnd(8)} first ${first}  all ${all}  cpu ${cpu}\n`);
    }
  }
}
