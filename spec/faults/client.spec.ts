/**
 * Faults at the stream: the client's bytes end anywhere, and our writes to it fail
 * at any time.
 *
 * Whatever the moment: each complete request is answered once while the client can be written
 * to; then the agent stops everything, CLIs and timers too.
 */
import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { describe, it } from "node:test";
import { claudeAgent } from "../support/claude/claude-agent.ts";
import { streamLink } from "../../lib/wire/index.ts";
import { isExhaustive } from "../support/exhaustive.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { memoryStore } from "../support/claude/memory-store.ts";
import { RandomClis } from "../tooling/fuzz/random-cli.ts";
import { at, isObject, type JsonObject } from "../support/json.ts";

const sessionId = "11111111-1111-4111-8111-111111111111";
const ask = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

/** A client's whole conversation; the sessions are known beforehand. */
const said = [
  ask(1, "initialize", { protocolVersion: 1, clientCapabilities: {} }),
  ask(2, "session/resume", { sessionId, cwd: "/", mcpServers: [] }),
  ask(3, "session/prompt", { sessionId, prompt: [{ type: "text", text: "grüße" }] }),
  `${JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } })}\n`,
  ask(4, "session/list", {}),
];

interface Ends {
  /** Fails the nth write, from 0. */
  readonly failsAt?: number;
  /** Ends the input after so many bytes. */
  readonly cutAt?: number;
  /** The CLI never says anything but hello. */
  readonly isMute?: boolean;
}

interface Ended {
  readonly heard: readonly JsonObject[];
  readonly writes: number;
}

/** Lets it all happen, to the very end; throws when something is left. */
async function converse({ failsAt, cutAt, isMute = false }: Ends): Promise<Ended> {
  const rejections: unknown[] = [];
  const bugs: unknown[] = [];
  const onRejection = (cause: unknown): unknown => rejections.push(cause);
  process.on("unhandledRejection", onRejection);
  const input = new PassThrough();
  let written = "";
  let writes = 0;
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (writes++ === failsAt) return done(Object.assign(new Error("broken"), { code: "EPIPE" }));
      written += String(chunk);
      done();
    },
  });
  const cli = new RandomClis();
  const time = fakeClock();
  if (!isMute) cli.behave();
  const { connection, stop } = claudeAgent(streamLink({ input, output }), {
    launcher: cli.launcher,
    after: time.after,
    env: {},
    program: { command: "bowline", args: [] },
    store: memoryStore(sessionId),
    onBug: (doing, cause) => bugs.push([doing, cause]),
  });
  let left = cutAt ?? Infinity;
  for (const line of said) {
    const bytes = Buffer.from(line).subarray(0, left);
    left -= bytes.length;
    if (bytes.length > 0) input.write(bytes);
    await breath();
  }
  input.end();
  await breath();
  let isSettled = false;
  void Promise.all([connection.settled, stop("over")]).then(() => (isSettled = true));
  for (let i = 0; i < 3; i++) {
    time.advance(3_600_000);
    await breath();
  }
  process.off("unhandledRejection", onRejection);
  assert.ok(isSettled, "the agent has ended");
  assert.equal(cli.runs.filter(({ isOpen }) => isOpen).length, 0, "no CLI is left");
  assert.equal(time.pending(), 0, "no timer is left");
  assert.deepEqual({ rejections, bugs }, { rejections: [], bugs: [] });
  const lines = written.split("\n");
  assert.equal(lines.pop(), "", "only whole lines are written");
  return { heard: lines.map((line): unknown => JSON.parse(line)).filter(isObject), writes };
}

async function breath(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Where the client's bytes end: near each end of a line and in each character of several bytes. In
 * between, where half a request is like another half, at some bytes, or at all in an exhaustive run.
 */
function cuts(): readonly number[] {
  const bytes = Buffer.from(said.join(""));
  return Array.from({ length: bytes.length + 1 }, (_, i) => i).filter((at) => {
    const near = bytes.subarray(Math.max(0, at - 3), at + 3);
    return isExhaustive || at % 17 === 0 || near.includes("\n") || near.some((byte) => byte > 0x7f);
  });
}

const answersOf = (heard: readonly JsonObject[]): readonly unknown[] =>
  heard.filter(({ method }) => method === undefined).map(({ id }) => id);

describe("a client whose bytes end", () => {
  for (const isMute of [false, true]) {
    const whose = isMute ? "that says nothing" : "that answers";
    it(`a client whose bytes end anywhere, with a CLI ${whose}, has every whole request answered once, and all is gone`, async () => {
      for (const cutAt of cuts()) {
        const { heard } = await converse({ cutAt, isMute });
        const whole = Buffer.from(said.join("")).subarray(0, cutAt).toString("utf8").split("\n");
        const rest = whole.pop() ?? "";
        const isWhole = said.some((line) => line === `${rest}\n`);
        const ids: unknown[] = [...whole, ...(isWhole ? [rest] : [])].flatMap(
          (line) => at(JSON.parse(line), "id") ?? [],
        );
        // Half a request cannot be read and gets an error.
        if (!isWhole && rest !== "") ids.push(null);
        assert.deepEqual(answersOf(heard).map(String).sort(), ids.map(String).sort(), `after ${cutAt} bytes`);
      }
    });
  }
});

describe("a client that cannot be written to", () => {
  it("a client that cannot be written to from any write on is gone, and all that was started for it", async () => {
    const { writes } = await converse({});
    assert.ok(writes > 4, `${writes} writes`);
    for (let failsAt = 0; failsAt < writes; failsAt++) {
      const { heard } = await converse({ failsAt });
      const answers = answersOf(heard);
      assert.equal(new Set(answers).size, answers.length, "nothing is answered twice");
    }
  });
});
