/**
 * Fake CLIs under load: a client that does not read, and hundreds of CLIs one after the
 * other. spec/agent/session/backpressure.spec.ts has the same for any engine.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { memoryPair } from "../../../lib/wire/index.ts";
import { agentHarness, ends, takes, wants } from "../../support/claude/agent-harness.ts";
import { messageText } from "../../support/agent/connected-agent.ts";
import { countedLink } from "../../support/wire/counted-link.ts";
import type { Frame } from "../../support/claude/fake-cli.ts";

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

describe("a client that stops reading for a minute in the middle of a turn", () => {
  it("a client that does not read pauses the CLI, keeps memory bounded, and gets all text in order afterwards", async () => {
    const lagChars = 64 * 1024;
    const [near, client] = memoryPair({ lagChars });
    const { link, sentChars } = countedLink(near);
    const { open, prompt, updates, time, cli } = await agentHarness({ pair: [link, client] });
    const { sessionId, fakeCli } = await open();
    const answered = prompt(sessionId, "hi");
    const frame = await fakeCli.hear("user");
    fakeCli.say(...takes(frame), begins);
    await tick();
    client.pause();
    const before = sentChars();
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
    const heldChars = sentChars() - before;
    assert.ok(heldChars > lagChars && heldChars < lagChars * 2, `${heldChars} characters wait for the client`);
    client.resume();
    fakeCli.say(...ends(frame));
    for (let i = 0; i < 50; i++) {
      time.advance(16);
      await tick();
    }
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    assert.equal(messageText(updates), words.join(""));
    assert.equal(cli.runs.length, 1, "the CLI is not taken for hung");
  });
});

describe("hundreds of CLIs", () => {
  it("hundreds of sessions opened, used and closed leave no CLI and no timer behind", async () => {
    const { open, prompt, editor, cli, time, agent } = await agentHarness();
    const used = async (): Promise<void> => {
      const { sessionId, fakeCli } = await open();
      const answered = prompt(sessionId, "hi");
      const frame = await fakeCli.hear("user");
      fakeCli.say(...takes(frame), wants("Bash", { command: "true" }), ...ends(frame));
      await answered;
      await editor.call("session/close", { sessionId });
    };
    for (let i = 0; i < 300; i++) await used();
    assert.equal(cli.runs.length, 300);
    assert.equal(cli.runs.filter(({ isOpen }) => isOpen).length, 0);
    assert.equal(time.pending(), 0, "no timer of a closed session is left; it would keep the program running");
    editor.close("bye");
    await agent.stop("bye");
  });
});
