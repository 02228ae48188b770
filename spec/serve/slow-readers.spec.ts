/**
 * Clients that do not read: their memory cost is bounded, and they lose no event.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { update } from "../../lib/acp/index.ts";
import { scriptedAgent, type TurnScript } from "../support/serve/scripted-agent.ts";
import { head, RawSocket } from "../support/serve/raw-http.ts";
import { type EventStream, type Served, served } from "../support/serve/test-server.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const mib = 1024 * 1024;
const asJson = { accept: "application/json" };

function usedBytes(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function onServer(
  script: TurnScript,
  run: (harness: Served) => Promise<void>,
  options: Partial<Parameters<typeof served>[0]> = {},
): Promise<void> {
  const harness = await served({ startAgent: scriptedAgent(script).start, ...options });
  try {
    await run(harness);
    assert.deepEqual(harness.bugs, []);
  } finally {
    await harness.close();
  }
}

async function untilIdle(harness: Served, path: string): Promise<void> {
  while ((await harness.call("GET", path)).json.status !== "idle")
    await new Promise((resolve) => setTimeout(resolve, 20));
}

function holdUnread(harness: Served, path: string, count: number): readonly RawSocket[] {
  return Array.from({ length: count }, () => {
    const reader = new RawSocket(harness.url).send(...head("GET", path));
    reader.socket.pause();
    return reader;
  });
}

const textsOf = ({ events }: EventStream): readonly string[] =>
  events.flatMap(({ packet }) => (packet.type === "agent_message_chunk" ? [packet.content.text] : []));

describe("server with clients that do not read", () => {
  it("32 subscribers that do not read prompts of 7 MB cost less than 150 MiB", () =>
    onServer(
      () => "end_turn",
      async (harness) => {
        const path = await harness.open();
        const before = usedBytes();
        const readers = holdUnread(harness, `${path}/events`, 32);
        await new Promise((resolve) => setTimeout(resolve, 200));
        const body = { content: "x".repeat(7_000_000) };
        assert.equal((await harness.call("POST", `${path}/send-message`, { body, headers: asJson })).status, 202);
        await untilIdle(harness, path);
        const grown = usedBytes() - before;
        for (const reader of readers) reader.close();
        assert.ok(grown < 150 * mib, `${Math.round(grown / mib)} MiB`);
      },
    ));

  it("64 clients that request the messages of a long session and do not read them cost less than 150 MiB", () =>
    onServer(
      () => "end_turn",
      async (harness) => {
        const path = await harness.open();
        const body = { content: "x".repeat(7_000_000) };
        await harness.call("POST", `${path}/send-message`, { body, headers: asJson });
        await untilIdle(harness, path);
        const before = usedBytes();
        const readers = holdUnread(harness, `${path}/messages`, 64);
        // Five rounds, so that the requests have come; more while a slow machine frees what was dropped.
        let grown = Infinity;
        for (let i = 0; i < 5 || (i < 50 && grown >= 150 * mib); i++) {
          await harness.call("GET", path);
          await new Promise((resolve) => setTimeout(resolve, 200));
          grown = usedBytes() - before;
        }
        for (const reader of readers) reader.close();
        assert.ok(grown < 150 * mib, `${Math.round(grown / mib)} MiB`);
      },
    ));

  it("the longest waiting subscriber is disconnected beyond the total cap, and continues after its last event", async () => {
    const parts = Array.from({ length: 80 }, (_, i) => `${i} ${"x".repeat(100_000)}`);
    const saying: TurnScript = async ({ show }) => {
      for (const part of parts) {
        await show(update.agentMessage(part));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await onServer(
      saying,
      async (harness) => {
        const paths = [await harness.open(), await harness.open()] as const;
        const slow: EventStream[] = [];
        for (const path of paths) {
          const stream = await harness.stream("GET", `${path}/events`);
          stream.response.pause();
          slow.push(stream);
          await harness.call("POST", `${path}/send-message`, { body: { content: "hi" }, headers: asJson });
          await untilIdle(harness, path);
        }
        const [first, second] = slow;
        assert.ok(first && second);
        first.response.resume();
        second.response.resume();
        await first.over();
        assert.equal(first.isBroken, true);
        await second.untilPacket("prompt_response");
        assert.deepEqual(textsOf(second), parts);
        const came = textsOf(first);
        assert.ok(came.length < parts.length);
        const again = await harness.stream("GET", `${paths[0]}/events`, {
          headers: { "last-event-id": String(first.events.at(-1)?.id) },
        });
        await again.untilPacket("prompt_response");
        assert.deepEqual([...came, ...textsOf(again)], parts);
        again.leave();
        second.leave();
      },
      { maxHeldBytes: 150_000, maxEventLogBytes: 64_000_000 },
    );
  });
});
