/**
 * Load test of one server with scripted engines: 5,000 open sessions, up to 1,000 clients,
 * up to 200 sessions that stream at once.
 *
 * Measures the time from the agent's update to the client's handler for 10, 100 and 1,000
 * clients. `node --expose-gc --import tsx spec/tooling/load/load.ts` runs everything in
 * one process over memory links; with `--sockets` the server is a process of its own and
 * every client has a WebSocket. `--sessions n` opens fewer sessions. Ends by itself, with 1
 * when an update was lost or doubled.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startServer } from "../../../lib/serve/index.ts";
import { memoryPair, webSocketLink } from "../../../lib/wire/index.ts";
import { cwd } from "../../support/serve/test-server.ts";
import { timedAgent } from "./agents.ts";
import { TimingClient } from "./timing-client.ts";

const { values } = parseArgs({
  options: { sockets: { type: "boolean", default: false }, sessions: { type: "string", default: "5000" } },
});
const sessionCount = Number(values.sessions);
const streamCount = 200;
const pace = { updatesPerTurn: 50, pauseMs: 50 };
const token = "a-token-for-the-load-test";

interface Target {
  readonly connect: () => Promise<TimingClient>;
  readonly heapBytes: () => Promise<number>;
  readonly close: () => Promise<void>;
}

async function inProcess(): Promise<Target> {
  const server = await startServer({
    token,
    host: "127.0.0.1",
    port: 0,
    version: "1",
    roots: [cwd],
    maxSessions: 10_000,
    keepMs: 0,
    startAgent: timedAgent(pace),
  });
  return {
    connect: () => {
      const [hubEnd, clientEnd] = memoryPair();
      server.hub.connect(hubEnd, { role: "owner" });
      return TimingClient.connect(clientEnd);
    },
    heapBytes: async () => {
      globalThis.gc?.();
      return process.memoryUsage().heapUsed;
    },
    close: () => server.close("the load test is over"),
  };
}

async function overSockets(): Promise<Target> {
  const program = fileURLToPath(new URL("server.ts", import.meta.url));
  const child = spawn(process.execPath, ["--expose-gc", "--import", "tsx", program], {
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
    close: async () => void child.kill("SIGTERM"),
  };
}

/** Resolves when the condition holds, or after 5 seconds. */
async function settled(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 100 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 50));
}

function percentile(sorted: readonly number[], share: number): string {
  return `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2)} ms`;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const target = await (values.sockets ? overSockets() : inProcess());
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

for (const count of [10, 100, 1000]) {
  const used = clients.slice(0, count);
  const streaming = sessions.slice(0, Math.min(streamCount, count));
  const sessionOf = (i: number): string => streaming[i % streaming.length] ?? "";
  for (const [i, one] of used.entries()) await one.attach(sessionOf(i));
  const beganAt = performance.now();
  await Promise.all(streaming.map((id, i) => used[i]?.prompt(id)));
  const tookMs = performance.now() - beganAt;
  // Another client may get the last update of a turn after its author got the answer.
  await settled(() => used.every(({ latencies }) => latencies.length >= pace.updatesPerTurn));
  const sorted = used.flatMap(({ latencies }) => latencies).toSorted((a, b) => a - b);
  const faults = used.reduce((sum, one) => sum + one.faults, 0);
  const missing = count * pace.updatesPerTurn - sorted.length;
  print(
    `${count} clients, ${streaming.length} sessions streaming: ${sorted.length} updates in ${(tookMs / 1000).toFixed(1)} s, ` +
      `p50 ${percentile(sorted, 0.5)}, p99 ${percentile(sorted, 0.99)}, lost ${missing}, doubled or out of order ${faults}`,
  );
  if (missing !== 0 || faults !== 0) process.exitCode = 1;
  for (const [i, one] of used.entries()) await one.leave(sessionOf(i));
}
for (const one of [owner, ...clients]) one.close();
await target.close();
