/**
 * Load test of one server with scripted engines: 5,000 open sessions, up to 1,000 clients,
 * up to 200 sessions that stream at once.
 *
 * Measures the time from the engine's update to the client's handler for 10, 100 and 1,000
 * clients. `node --import tsx spec/tooling/load/load.ts [--sessions 5000]` starts the server
 * as a process of its own; every client has a WebSocket. Exits with 1 when an
 * update was lost or doubled.
 */
import { spawn } from "node:child_process";
import { loadavg } from "node:os";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { webSocketLink } from "../../../lib/wire/index.ts";
import { bundledProgram } from "../../support/bundled-program.ts";
import { TimingClient } from "./timing-client.ts";

const { values } = parseArgs({ options: { sessions: { type: "string", default: "5000" } } });
const sessionCount = Number(values.sessions);
const streamCount = 200;
const pace = { updatesPerTurn: 50, pauseMs: 50 };
const token = "a-token-for-the-load-test";

interface Target {
  readonly connect: () => Promise<TimingClient>;
  readonly heapBytes: () => Promise<number>;
  readonly close: () => void;
}

/** The server is bundled, as the program is: what tsx adds to each function would count as memory of a session. */
async function startServer(): Promise<Target> {
  const program = await bundledProgram("spec/tooling/load/server.ts");
  const child = spawn(process.execPath, ["--expose-gc", program], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      ...process.env,
      BOWLINE_TOKEN: token,
      LOAD_UPDATES: String(pace.updatesPerTurn),
      LOAD_PAUSE_MS: String(pace.pauseMs),
    },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => String((await lines.next()).value);
  const url = new URL("acp", await line());
  return {
    connect: () => TimingClient.connect(webSocketLink(url, { headers: { authorization: `Bearer ${token}` } })),
    heapBytes: async () => {
      child.stdin.write("\n");
      return Number(await line());
    },
    close: () => void child.kill("SIGTERM"),
  };
}

/** Resolves when the condition holds, or after 5 seconds. */
async function settled(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 100 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 50));
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const target = await startServer();
const owner = await target.connect();

const before = await target.heapBytes();
const openedAt = performance.now();
const sessions: string[] = [];
for (let i = 0; i < sessionCount; i++) sessions.push(await owner.open());
const openedMs = performance.now() - openedAt;
// The registry of the page attaches to sessions of other clients in a later turn of the event loop.
await new Promise((resolve) => setTimeout(resolve, 500));
print(`${sessionCount} sessions opened in ${(openedMs / 1000).toFixed(1)} s`);
print(`heap per idle session: ${Math.round(((await target.heapBytes()) - before) / sessionCount)} bytes`);

const clients: TimingClient[] = [];
for (let i = 0; i < 1000; i++) clients.push(await target.connect());

const p99s = new Map<number, number>();
// The first round lets the server and the clients compile their code and is not compared.
for (const count of [100, 10, 100, 1000]) {
  const used = clients.slice(0, count);
  const streaming = sessions.slice(0, Math.min(streamCount, count));
  const sessionOf = (i: number): string => streaming[i % streaming.length] ?? "";
  for (const [i, one] of used.entries()) await one.attach(sessionOf(i));
  const beganAt = performance.now();
  // The streams begin spread over one pause: models do not stream in step.
  const prompted = async (id: string, i: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, (pace.pauseMs * i) / streaming.length));
    await used[i]?.prompt(id);
  };
  await Promise.all(streaming.map(prompted));
  const tookMs = performance.now() - beganAt;
  // Another client may get the last update of a turn after its author got the answer.
  await settled(() => used.every(({ latencies }) => latencies.length >= pace.updatesPerTurn));
  const sorted = used.flatMap(({ latencies }) => latencies).toSorted((a, b) => a - b);
  const faults = used.reduce((sum, one) => sum + one.faults, 0);
  const p99 = percentile(sorted, 0.99);
  p99s.set(count, p99);
  const missing = count * pace.updatesPerTurn - sorted.length;
  print(
    `${count} clients, ${streaming.length} sessions streaming: ${sorted.length} updates in ${(tookMs / 1000).toFixed(1)} s, ` +
      `p50 ${percentile(sorted, 0.5).toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, lost ${missing}, doubled or out of order ${faults}`,
  );
  if (missing !== 0 || faults !== 0) process.exitCode = 1;
  for (const [i, one] of used.entries()) await one.leave(sessionOf(i));
}
const growth = (p99s.get(1000) ?? 0) / (p99s.get(10) ?? 1);
print(`p99 with 1,000 clients is ${growth.toFixed(1)} times that with 10; load average ${loadavg()[0]?.toFixed(1)}`);
for (const one of [owner, ...clients]) one.close();
target.close();
