/**
 * Load test of the session hub and the server's registry, with scripted agents.
 *
 * `node --expose-gc --import tsx spec/tooling/load/load.ts` opens 5,000 sessions,
 * attaches 1,000 clients, lets 200 sessions stream at once, and measures the time from
 * the agent's update to the client's handler for 10, 100 and 1,000 clients. Everything
 * runs in one process, over memory links; only 127.0.0.1 is listened on. Ends by itself.
 */
import { agent, type AgentConnection, client, type ClientConnection, update } from "../../../lib/acp/index.ts";
import { type RunningServer, startServer } from "../../../lib/serve/index.ts";
import { type Link, memoryPair } from "../../../lib/wire/index.ts";
import { cwd } from "../../support/serve/test-server.ts";

const sessionCount = 5000;
const clientCount = 1000;
const streamCount = 200;
const eventsPerTurn = 20;
/** Between two updates of a turn. */
const pauseMs = 20;

/** Streams numbered updates with the time at which each was sent. */
function startAgent(link: Link): { readonly stop: () => Promise<void> } {
  const connection: AgentConnection = agent(link, {
    info: { name: "load", version: "1" },
    authMethods: () => [],
    handlers: (editor) => ({
      "session/new": () => ({ sessionId: crypto.randomUUID() }),
      "session/close": () => {},
      "session/prompt": async ({ sessionId }) => {
        for (let i = 0; i < eventsPerTurn; i++) {
          await editor.update(sessionId, update.agentMessage(`${i} ${performance.now()}`));
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
        }
        return { stopReason: "end_turn" };
      },
    }),
  });
  return { stop: async () => connection.close("stopped") };
}

class LoadClient {
  readonly connection: ClientConnection;
  readonly latencies: number[] = [];
  /** The number of the last update of each session, to find lost and doubled ones. */
  readonly last = new Map<string, number>();
  faults = 0;

  private constructor(connection: ClientConnection) {
    this.connection = connection;
  }

  static async connect({ hub }: RunningServer): Promise<LoadClient> {
    const [hubEnd, clientEnd] = memoryPair();
    hub.connect(hubEnd, { role: "owner" });
    let self: LoadClient | undefined;
    const connection = await client(clientEnd, {
      info: { name: "load", version: "1" },
      handlers: () => ({
        "session/update": ({ sessionId, update: one }) => {
          if (one.sessionUpdate !== "agent_message_chunk" || one.content.type !== "text") return;
          self?.take(sessionId, one.content.text);
        },
        "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
      }),
    });
    return (self = new LoadClient(connection));
  }

  take(sessionId: string, text: string): void {
    const [number, sentAt] = text.split(" ").map(Number);
    this.latencies.push(performance.now() - (sentAt ?? 0));
    if (number !== ((this.last.get(sessionId) ?? -1) + 1) % eventsPerTurn) this.faults++;
    this.last.set(sessionId, number ?? -1);
  }

  async open(): Promise<string> {
    return (await this.connection.call("session/new", { cwd, mcpServers: [] })).sessionId;
  }

  attach(sessionId: string): Promise<unknown> {
    return this.connection.call("session/load", { sessionId, cwd, mcpServers: [] });
  }

  prompt(sessionId: string): Promise<unknown> {
    return this.connection.prompt({ sessionId, prompt: [{ type: "text", text: "go" }] });
  }
}

function percentile(sorted: readonly number[], share: number): string {
  return `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2)} ms`;
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const server = await startServer({
  token: "a-token-for-the-load-test",
  host: "127.0.0.1",
  port: 0,
  version: "1",
  roots: [cwd],
  maxSessions: sessionCount + clientCount,
  keepMs: 0,
  startAgent,
});
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const owner = await LoadClient.connect(server);

const before = heapBytes();
const openedAt = performance.now();
const sessions: string[] = [];
for (let i = 0; i < sessionCount; i++) sessions.push(await owner.open());
const openedMs = performance.now() - openedAt;
// The registry of the page attaches to sessions of other clients in a later turn of the event loop.
await new Promise((resolve) => setTimeout(resolve, 500));
print(`${sessionCount} sessions opened in ${(openedMs / 1000).toFixed(1)} s`);
print(`heap per idle session: ${Math.round((heapBytes() - before) / sessionCount)} bytes`);

const clients: LoadClient[] = [];
for (let i = 0; i < clientCount; i++) clients.push(await LoadClient.connect(server));

for (const count of [10, 100, 1000]) {
  const used = clients.slice(0, count);
  const streaming = sessions.slice(0, Math.min(streamCount, count));
  for (const [i, one] of used.entries()) await one.attach(streaming[i % streaming.length] ?? "");
  for (const one of used) one.latencies.length = 0;
  const beganAt = performance.now();
  await Promise.all(streaming.map((id, i) => used[i]?.prompt(id)));
  const tookMs = performance.now() - beganAt;
  const sorted = used.flatMap(({ latencies }) => latencies).toSorted((a, b) => a - b);
  const faults = used.reduce((sum, one) => sum + one.faults, 0);
  print(
    `${count} clients, ${streaming.length} sessions streaming: ${sorted.length} events in ${(tookMs / 1000).toFixed(1)} s, ` +
      `p50 ${percentile(sorted, 0.5)}, p99 ${percentile(sorted, 0.99)}, lost or doubled ${faults}`,
  );
  for (const [i, one] of used.entries())
    await one.connection.call("session/close", { sessionId: streaming[i % streaming.length] ?? "" });
}
await server.close("the load test is over");
process.exit(clients.some(({ faults }) => faults > 0) ? 1 : 0);
