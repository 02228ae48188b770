/**
 * The agent under load: a client that does not read, a client that sends too many
 * prompts, a hundred sessions at once and thousands one after the other.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionUpdate } from "../../../lib/acp/index.ts";
import { maxSessions } from "../../../lib/agent/sessions/session-registry.ts";
import { maxQueuedTurns } from "../../../lib/agent/turn/turn-queue.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import { agentHarness, ends, takes, wants } from "../../support/agent-harness.ts";
import type { Frame, FakeCli } from "../../support/fake-cli.ts";

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const word = (text: string): Frame => ({
  type: "stream_event",
  parent_tool_use_id: null,
  event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
});
const begins: Frame = {
  type: "stream_event",
  parent_tool_use_id: null,
  event: { type: "message_start", message: { id: "msg_1", model: "opus-5", usage: {} } },
};

const textOf = (updates: readonly SessionUpdate[]): string =>
  updates
    .map((one) => (one.sessionUpdate === "agent_message_chunk" && one.content.type === "text" ? one.content.text : ""))
    .join("");

describe("a client that stops reading for a minute in the middle of a turn", () => {
  it("a client that does not read pauses the CLI, keeps memory bounded, and gets all text in order afterwards", async () => {
    const lagChars = 64 * 1024;
    const pair = memoryPair({ lagChars });
    const { open, prompt, updates, time, cli } = await agentHarness({ pair });
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    const frame = await fakeCli.hear("user");
    fakeCli.say(...takes(frame), begins);
    await tick();
    const [, client] = pair;
    client.pause();
    const words = Array.from({ length: 20_000 }, (_, i) => `word ${i}, `.padEnd(40, "."));
    let sentCount = 0;
    let heldBack = 0;
    // One minute of a fast model, in steps of 16 ms.
    for (let ms = 0; ms < 60_000; ms += 16) {
      for (const text of words.slice(sentCount, sentCount + 6)) heldBack += fakeCli.tell(word(text)) ? 0 : 1;
      sentCount += 6;
      time.advance(16);
      await tick();
    }
    for (const text of words.slice(sentCount)) fakeCli.say(word(text));
    assert.ok(heldBack > 0, "the CLI is paused");
    assert.ok(textOf(updates).length < lagChars * 4, "little is buffered");
    client.resume();
    fakeCli.say(...ends(frame));
    for (let i = 0; i < 50; i++) {
      time.advance(16);
      await tick();
    }
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    assert.equal(textOf(updates), words.join(""));
    assert.equal(cli.runs.length, 1, "the CLI is not taken for hung");
  });
});

describe("a client that sends 2000 prompts at once", () => {
  it("every prompt of a flood is answered, those past the limit with an error, and the session continues", async () => {
    const { open, prompt } = await agentHarness();
    const { sessionId, fakeCli } = await open();
    const answers = Array.from({ length: 2000 }, (_, i) =>
      prompt(sessionId, `prompt ${i}`).then(
        ({ stopReason }) => stopReason,
        ({ code, message }: { code: number; message: string }) => `${code} ${message}`,
      ),
    );
    for (let i = 0; i <= maxQueuedTurns; i++) {
      const frame = await fakeCli.hear("user");
      fakeCli.say(...takes(frame), ...ends(frame));
    }
    const counts = new Map<string, number>();
    for (const answer of await Promise.all(answers)) counts.set(answer, (counts.get(answer) ?? 0) + 1);
    assert.equal(counts.get("end_turn"), maxQueuedTurns + 1);
    assert.equal(
      [...counts.values()].reduce((sum, count) => sum + count),
      2000,
    );
    for (const text of counts.keys())
      assert.match(text, /^end_turn$|^-32603 too many (?:prompts wait|requests at once)/);
    const again = prompt(sessionId, "again");
    const frame = await fakeCli.hear("user");
    fakeCli.say(...takes(frame), ...ends(frame));
    assert.deepEqual(await again, { stopReason: "end_turn" });
  });
});

describe("a hundred sessions", () => {
  it("the updates of a hundred concurrent sessions arrive complete, in order and in the right session", async () => {
    const received = new Map<string, string>();
    const { open, prompt, time } = await agentHarness({
      onUpdate: (sessionId, update) => received.set(sessionId, (received.get(sessionId) ?? "") + textOf([update])),
    });
    const sessions: { readonly sessionId: string; readonly fakeCli: FakeCli }[] = [];
    for (let i = 0; i < 100; i++) sessions.push(await open());
    const answers = sessions.map(({ sessionId }) => prompt(sessionId, "speak"));
    const frames = await Promise.all(sessions.map(({ fakeCli }) => fakeCli.hear("user")));
    for (const [i, { fakeCli }] of sessions.entries()) fakeCli.say(...takes(frames[i] ?? {}, `cli-${i}`), begins);
    for (let n = 0; n < 50; n++) {
      for (const [i, { fakeCli }] of sessions.entries()) fakeCli.say(word(`${i}:${n} `));
      await tick();
      time.advance(8);
    }
    for (const [i, { fakeCli }] of sessions.entries()) fakeCli.say(...ends(frames[i] ?? {}));
    for (const answer of await Promise.all(answers)) assert.deepEqual(answer, { stopReason: "end_turn" });
    for (const [i, { sessionId }] of sessions.entries()) {
      assert.equal(received.get(sessionId), Array.from({ length: 50 }, (_, n) => `${i}:${n} `).join(""));
    }
  });
});

describe("thousands of sessions", () => {
  it("thousands of sessions opened, used and closed leave no CLI and no timer behind", async () => {
    const { open, prompt, editor, cli, time, agent } = await agentHarness();
    const used = async (): Promise<void> => {
      const { sessionId, fakeCli } = await open();
      const answered = prompt(sessionId, "hi");
      const frame = await fakeCli.hear("user");
      fakeCli.say(...takes(frame), wants("Bash", { command: "true" }), ...ends(frame));
      await answered;
      await editor.call("session/close", { sessionId });
    };
    for (let i = 0; i < 2000; i++) await used();
    assert.equal(cli.runs.length, 2000);
    assert.equal(cli.runs.filter(({ isOpen }) => isOpen).length, 0);
    assert.equal(time.pending(), 0, "no timer of a closed session is left; it would keep the program running");
    editor.close("bye");
    await agent.stop("bye");
  });

  it("a session past the limit is refused with advice, and accepted after another is closed", async () => {
    const { open, editor } = await agentHarness();
    const first = await open();
    for (let i = 1; i < maxSessions; i++) await open();
    await assert.rejects(open(), { code: -32603, message: /too many sessions are open, the limit is \d+: close one/ });
    await editor.call("session/close", { sessionId: first.sessionId });
    assert.ok((await open()).sessionId !== "");
  });
});
