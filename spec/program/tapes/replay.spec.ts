/**
 * `replayAgent` with a client that does not send what the tape expects.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { replayAgent, type ReplayOptions } from "../../../lib/program/tapes/replay.ts";
import { readRows } from "../../../lib/tape/index.ts";
import { type Link, memoryPair } from "../../../lib/wire/index.ts";
import { LinkLog, settle } from "../../support/wire/link-log.ts";

type Fields = Readonly<Record<string, unknown>>;

const prompt = { jsonrpc: "2.0", id: 1, method: "session/prompt", params: { sessionId: "s", prompt: [] } };
const cancel = { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s" } };
const asks = { jsonrpc: "2.0", id: 9, method: "session/request_permission", params: { sessionId: "s" } };
const chose = { jsonrpc: "2.0", id: 9, result: { outcome: { outcome: "cancelled" } } };
const done = { jsonrpc: "2.0", id: 1, result: { stopReason: "cancelled" } };

interface Playing {
  readonly client: Link;
  readonly log: LinkLog;
  readonly told: string[];
  readonly code: Promise<number>;
}

function play(lines: readonly (readonly ["in" | "out", Fields])[], options: Partial<ReplayOptions> = {}): Playing {
  const text = lines.map(([dir, msg]) => JSON.stringify({ dir, t: 0, side: "acp", msg })).join("\n");
  const [near, client] = memoryPair();
  const told: string[] = [];
  const all = { speed: undefined, isStrict: false, waitsMs: 30, report: (one: string) => told.push(one), ...options };
  const code = replayAgent(readRows(text), { ...all, link: () => near });
  const log = new LinkLog();
  client.open(log);
  return { client, log, told, code };
}

describe("replayAgent", () => {
  it("a replay skips a recorded message that the client does not send while it waits for a response", async () => {
    const { client, log, told, code } = play([
      ["in", prompt],
      ["in", cancel],
      ["out", done],
    ]);
    client.send(JSON.stringify(prompt));
    await log.has(`line ${JSON.stringify(done)}`);
    assert.deepEqual(told, [
      "the client departs from the tape: it does not send session/cancel, which the recording has",
    ]);
    client.close("enough");
    assert.equal(await code, 0);
  });

  it("a strict replay ends with exit code 1 when the client does not send a recorded message", async () => {
    const { client, told, code } = play(
      [
        ["in", prompt],
        ["in", cancel],
        ["out", done],
      ],
      { isStrict: true },
    );
    client.send(JSON.stringify(prompt));
    assert.equal(await code, 1);
    assert.equal(told.length, 1);
  });

  it("a replay waits without limit for the user's answer and for an idle client", async () => {
    const { client, log, told, code } = play([
      ["in", prompt],
      ["out", asks],
      ["in", chose],
      ["out", done],
      ["in", { ...prompt, id: 2 }],
    ]);
    client.send(JSON.stringify(prompt));
    await log.has(`line ${JSON.stringify(asks)}`);
    await new Promise((resolve) => setTimeout(resolve, 120));
    assert.deepEqual(told, []);
    client.send(JSON.stringify(chose));
    await log.has(`line ${JSON.stringify(done)}`);
    await new Promise((resolve) => setTimeout(resolve, 120));
    assert.deepEqual(told, []);
    client.close("enough");
    assert.equal(await code, 0);
    await settle();
  });
});
