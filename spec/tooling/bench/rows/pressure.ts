/**
 * Measures how much memory grows when the other side, or our own user, stops.
 *
 * A slow reader reads nothing for some seconds while an agent streams awaited updates;
 * afterwards every update must have arrived, in order. A stuck consumer is a client
 * whose update handler never returns.
 */
import { once } from "node:events";
import { type Child, start, stop } from "../child.ts";
import { residentMegabytes } from "../memory.ts";
import { headerChunksOf, smallLines, chunksOf } from "../messages.ts";
import type { Row, Setting } from "../row.ts";

const chunkBytes = 64 * 1024;

export function pressureRows({ program, isQuick }: Setting): Row[] {
  const updates = isQuick ? 30_000 : 200_000;
  const stillMs = isQuick ? 1000 : 4000;
  const arriving = isQuick ? 30_000 : 100_000;
  return [
    {
      name: `slow reader: growth in ${stillMs / 1000} s without reading`,
      scale: { kind: "plain", unit: " MB" },
      target: 24,
      rounds: 3,
      quickRounds: 1,
      warmUps: 0,
      open: () => ({
        contestants: {
          ours: () => growthUnread(program("flood-ours"), updates, stillMs),
          "official SDK": () => growthUnread(program("flood-official"), updates, stillMs),
        },
      }),
    },
    {
      name: `stuck consumer: growth by ${arriving / 1000}k updates`,
      scale: { kind: "plain", unit: " MB" },
      target: 24,
      rounds: 3,
      quickRounds: 1,
      warmUps: 0,
      open: () => ({
        contestants: {
          ours: () => growthStuck(program("stuck-ours"), arriving, chunksOf),
          "official SDK": () => growthStuck(program("stuck-official"), arriving, chunksOf),
          "vscode-jsonrpc": () => growthStuck(program("stuck-vscode"), arriving, headerChunksOf),
        },
      }),
    },
  ];
}

async function growthUnread(program: string, updates: number, stillMs: number): Promise<number> {
  const child = start(program);
  const reader = new LineCounter();
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => reader.take(text));
  const call = (id: number, method: string, params: object): Promise<void> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return reader.answer(id);
  };
  await call(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
  await call(2, "session/new", { cwd: "/", mcpServers: [] });
  const growth = memoryGrowth(child);
  child.stdout.pause();
  const isDone = call(3, "session/prompt", {
    sessionId: "flood",
    prompt: [{ type: "text", text: String(updates) }],
  });
  await pause(stillMs);
  const megabytes = growth.peak();
  child.stdout.resume();
  await isDone;
  await stop(child);
  if (reader.updates !== updates) throw new Error(`${reader.updates} of ${updates} updates arrived in order`);
  return megabytes;
}

/** Counts updates that carry the next number, and knows when a request is answered. */
class LineCounter {
  updates = 0;
  #tail = "";
  readonly #waiting = new Map<number, () => void>();

  take(text: string): void {
    const lines = (this.#tail + text).split("\n");
    this.#tail = lines.pop() ?? "";
    for (const line of lines) {
      if (line.includes(`"text":"${this.updates}"`)) this.updates++;
      else this.#waiting.get((JSON.parse(line) as { readonly id: number }).id)?.();
    }
  }

  answer(id: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }
}

async function growthStuck(program: string, updates: number, frame: typeof chunksOf): Promise<number> {
  const child = start(program);
  const [request] = (await once(child.stdout, "data")) as [Buffer];
  const id = Number(/"id":(\d+)/.exec(request.toString())?.[1]);
  const answer = JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: 1, agentCapabilities: {} } });
  for (const chunk of frame([answer], chunkBytes)) child.stdin.write(chunk);
  await pause(200);
  const growth = memoryGrowth(child);
  for (const chunk of frame(smallLines(updates), chunkBytes)) {
    if (!child.stdin.write(chunk) && !(await drains(child))) break;
  }
  const megabytes = await growth.settled();
  await stop(child);
  return megabytes;
}

/** False when the child has stopped reading. */
function drains(child: Child): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), 1500);
    child.stdin.once("drain", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

interface Growth {
  /** The highest the memory has risen since, in megabytes. */
  readonly peak: () => number;
  /** The same, once it has stopped growing. */
  readonly settled: () => Promise<number>;
}

function memoryGrowth(child: Child): Growth {
  const pid = child.pid ?? 0;
  const before = residentMegabytes(pid);
  let highest = before;
  const peak = (): number => highest - before;
  const watch = setInterval(() => (highest = Math.max(highest, residentMegabytes(pid))), 50);
  child.once("exit", () => clearInterval(watch));
  return {
    peak,
    async settled() {
      for (let last = -Infinity; peak() > last + 1;) {
        last = peak();
        await pause(1000);
      }
      return peak();
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
