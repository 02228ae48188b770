/**
 * The agent under load: a client that does not read, a client that sends too many
 * prompts, a hundred sessions at once and thousands one after the other.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { maxQueuedTurns } from "../../../lib/agent/turn/turn-queue.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import { messageText } from "../../support/agent/connected-agent.ts";
import { countedLink } from "../../support/wire/counted-link.ts";
import type { ScriptedConversation } from "../../support/agent/scripted-engine.ts";
import { scriptedHarness } from "../../support/agent/scripted-harness.ts";

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a client that stops reading for a minute in the middle of a turn", () => {
  it("a client that does not read pauses the engine, keeps memory bounded, and gets all text in order afterwards", async () => {
    const lagChars = 64 * 1024;
    const [near, client] = memoryPair({ lagChars });
    const { link, sentChars } = countedLink(near);
    const { open, prompt, updates, time } = await scriptedHarness({ pair: [link, client] });
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "hi");
    await conversation.hear("submit");
    conversation.take();
    const words = Array.from({ length: 20_000 }, (_, i) => `word ${i}, `.padEnd(40, "."));
    let spokenCount = 0;
    /** A fast model for 16 ms, if its engine is not paused. */
    const step = async (): Promise<void> => {
      if (!conversation.isPaused) {
        conversation.say(...words.slice(spokenCount, spokenCount + 6));
        spokenCount += 6;
      }
      time.advance(16);
      await tick();
    };
    client.pause();
    const before = sentChars();
    for (let ms = 0; ms < 60_000; ms += 16) await step();
    assert.ok(conversation.isPaused, "the engine is paused");
    const heldChars = sentChars() - before;
    assert.ok(heldChars > lagChars && heldChars < lagChars * 2, `${heldChars} characters wait for the client`);
    client.resume();
    while (spokenCount < words.length) await step();
    conversation.end();
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    assert.equal(messageText(updates), words.join(""));
  });
});

describe("a client that sends 2000 prompts at once", () => {
  it("every prompt of a flood is answered, those past the limit with an error, and the session continues", async () => {
    const { open, prompt } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answers = Array.from({ length: 2000 }, (_, i) =>
      prompt(sessionId, `prompt ${i}`).then(
        ({ stopReason }) => stopReason,
        ({ code, message }: { code: number; message: string }) => `${code} ${message}`,
      ),
    );
    for (let i = 0; i <= maxQueuedTurns; i++) {
      await conversation.hear("submit");
      conversation.end();
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
    await conversation.hear("submit");
    conversation.end();
    assert.deepEqual(await again, { stopReason: "end_turn" });
  });
});

describe("a hundred sessions", () => {
  it("the updates of a hundred concurrent sessions arrive complete, in order and in the right session", async () => {
    const received = new Map<string, string>();
    const { open, prompt, time } = await scriptedHarness({
      onUpdate: (sessionId, update) => received.set(sessionId, (received.get(sessionId) ?? "") + messageText([update])),
    });
    const sessions: { readonly sessionId: string; readonly conversation: ScriptedConversation }[] = [];
    for (let i = 0; i < 100; i++) sessions.push(await open());
    const answers = sessions.map(({ sessionId }) => prompt(sessionId, "speak"));
    await Promise.all(sessions.map(({ conversation }) => conversation.hear("submit")));
    for (let n = 0; n < 50; n++) {
      for (const [i, { conversation }] of sessions.entries()) conversation.say(`${i}:${n} `);
      await tick();
      time.advance(8);
    }
    for (const { conversation } of sessions) conversation.end();
    for (const answer of await Promise.all(answers)) assert.deepEqual(answer, { stopReason: "end_turn" });
    for (const [i, { sessionId }] of sessions.entries()) {
      assert.equal(received.get(sessionId), Array.from({ length: 50 }, (_, n) => `${i}:${n} `).join(""));
    }
  });
});

describe("thousands of sessions", () => {
  it("thousands of sessions opened, used and closed leave no conversation and no timer behind", async () => {
    const { open, prompt, editor, engine, time, agent } = await scriptedHarness();
    for (let i = 0; i < 2000; i++) {
      const { sessionId, conversation } = await open();
      const answered = prompt(sessionId, "hi");
      await conversation.hear("submit");
      conversation.end();
      await answered;
      await editor.call("session/close", { sessionId });
    }
    assert.equal(engine.opened.length, 2000);
    assert.equal(engine.opened.filter(({ isRunning }) => isRunning).length, 0);
    assert.equal(time.pending(), 0, "no timer of a closed session is left; it would keep the program running");
    editor.close("bye");
    await agent.stop("bye");
  });

  it("a session past the limit is refused with advice, and accepted after another is closed", async () => {
    const { open, editor } = await scriptedHarness({ maxSessions: 3 });
    const first = await open();
    for (let i = 1; i < 3; i++) await open();
    await assert.rejects(open(), { code: -32603, message: /too many sessions are open, the limit is 3: close one/ });
    await editor.call("session/close", { sessionId: first.sessionId });
    assert.ok((await open()).sessionId !== "");
  });
});
