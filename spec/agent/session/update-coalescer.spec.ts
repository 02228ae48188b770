import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SessionUpdate, update } from "../../../lib/acp/index.ts";
import { maxHeld, UpdateCoalescer } from "../../../lib/agent/session/update-coalescer.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";

const call: SessionUpdate = update.toolCall({ toolCallId: "1", title: "Read" });

function released(): { readonly out: UpdateCoalescer; readonly sent: string[]; readonly time: FakeClock } {
  const time = fakeClock();
  const sent: string[] = [];
  const out = new UpdateCoalescer({ send: (one) => sent.push(textOf(one)), after: time.after, intervalMs: 16 });
  out.release();
  return { out, sent, time };
}

function textOf(one: SessionUpdate): string {
  const isWords = one.sessionUpdate === "agent_message_chunk" || one.sessionUpdate === "agent_thought_chunk";
  return isWords && one.content.type === "text" ? one.content.text : one.sessionUpdate;
}

describe("Outgoing", () => {
  it("sends the first word at once and joins those that follow within an interval", () => {
    const { out, sent, time } = released();
    for (const word of ["a", "b", "c"]) out.push(update.agentMessage(word, "m"));
    assert.deepEqual(sent, ["a"]);
    time.advance(15);
    assert.deepEqual(sent, ["a"]);
    time.advance(1);
    assert.deepEqual(sent, ["a", "bc"]);
  });

  it("never holds a slow model back", () => {
    const { out, sent, time } = released();
    for (const word of ["a", "b", "c"]) {
      out.push(update.agentMessage(word, "m"));
      time.advance(20);
    }
    assert.deepEqual(sent, ["a", "b", "c"]);
    assert.equal(time.pending(), 0);
  });

  it("sends one update each interval however fast the words come, and loses none", () => {
    const { out, sent, time } = released();
    for (let i = 0; i < 1000; i++) {
      out.push(update.agentMessage("x", "m"));
      time.advance(1);
    }
    time.advance(16);
    assert.equal(sent.join("").length, 1000);
    assert.ok(sent.length <= 65, `${sent.length} updates in 1000 ms`);
  });

  it("keeps the order: what is no word sends the words before it first", () => {
    const { out, sent, time } = released();
    for (const one of [
      update.agentMessage("a", "m"),
      update.agentMessage("b", "m"),
      call,
      update.agentMessage("c", "m"),
    ])
      out.push(one);
    assert.deepEqual(sent, ["a", "b", "tool_call"]);
    time.advance(16);
    assert.deepEqual(sent, ["a", "b", "tool_call", "c"]);
  });

  it("does not join thoughts with words, nor two messages", () => {
    const { out, sent, time } = released();
    out.push(update.agentThought("a", "m"));
    out.push(update.agentMessage("b", "m"));
    out.push(update.agentMessage("c", "n"));
    out.push(update.agentMessage("d", "n"));
    time.advance(16);
    assert.deepEqual(sent, ["a", "b", "cd"]);
  });

  it("sends what waits when it is told to", () => {
    const { out, sent } = released();
    out.push(update.agentMessage("a", "m"));
    out.push(update.agentMessage("b", "m"));
    out.flush();
    assert.deepEqual(sent, ["a", "b"]);
    out.flush();
    assert.deepEqual(sent, ["a", "b"]);
  });

  it("holds everything until the editor knows the session", () => {
    const sent: string[] = [];
    const out = new UpdateCoalescer({ send: (one) => sent.push(textOf(one)), after: fakeClock().after });
    out.push(call);
    out.push(update.agentMessage("a", "m"));
    out.flush();
    assert.deepEqual(sent, []);
    out.release();
    assert.deepEqual(sent, ["tool_call", "a"]);
  });

  it("holds no more than its limit", () => {
    const sent: string[] = [];
    const out = new UpdateCoalescer({ send: (one) => sent.push(textOf(one)), after: fakeClock().after });
    for (let i = 0; i < maxHeld + 10; i++) out.push(call);
    out.release();
    assert.equal(sent.length, maxHeld);
  });
});
