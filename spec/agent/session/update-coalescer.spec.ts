/**
 * Specs of `UpdateCoalescer`: text deltas are joined before they are sent.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SessionUpdate, update } from "../../../lib/acp/index.ts";
import { maxHeld, UpdateCoalescer } from "../../../lib/agent/session/update-coalescer.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";

const call: SessionUpdate = update.toolCall({ toolCallId: "1", title: "Read" });

function released(): { readonly coalescer: UpdateCoalescer; readonly sent: string[]; readonly time: FakeClock } {
  const time = fakeClock();
  const sent: string[] = [];
  const coalescer = new UpdateCoalescer({ send: (one) => sent.push(textOf(one)), after: time.after, intervalMs: 16 });
  coalescer.release();
  return { coalescer, sent, time };
}

function textOf(one: SessionUpdate): string {
  const isText = one.sessionUpdate === "agent_message_chunk" || one.sessionUpdate === "agent_thought_chunk";
  return isText && one.content.type === "text" ? one.content.text : one.sessionUpdate;
}

describe("UpdateCoalescer", () => {
  it("the first text chunk is sent at once, and chunks within one interval are joined", () => {
    const { coalescer, sent, time } = released();
    for (const chunk of ["a", "b", "c"]) coalescer.push(update.agentMessage(chunk, "m"));
    assert.deepEqual(sent, ["a"]);
    time.advance(15);
    assert.deepEqual(sent, ["a"]);
    time.advance(1);
    assert.deepEqual(sent, ["a", "bc"]);
  });

  it("the chunks of a slow model are not delayed", () => {
    const { coalescer, sent, time } = released();
    for (const chunk of ["a", "b", "c"]) {
      coalescer.push(update.agentMessage(chunk, "m"));
      time.advance(20);
    }
    assert.deepEqual(sent, ["a", "b", "c"]);
    assert.equal(time.pending(), 0);
  });

  it("a fast model causes one update per interval, and no text is lost", () => {
    const { coalescer, sent, time } = released();
    for (let i = 0; i < 1000; i++) {
      coalescer.push(update.agentMessage("x", "m"));
      time.advance(1);
    }
    time.advance(16);
    assert.equal(sent.join("").length, 1000);
    assert.ok(sent.length <= 65, `${sent.length} updates in 1000 ms`);
  });

  it("an update that is not text is sent after the text before it", () => {
    const { coalescer, sent, time } = released();
    for (const one of [
      update.agentMessage("a", "m"),
      update.agentMessage("b", "m"),
      call,
      update.agentMessage("c", "m"),
    ])
      coalescer.push(one);
    assert.deepEqual(sent, ["a", "b", "tool_call"]);
    time.advance(16);
    assert.deepEqual(sent, ["a", "b", "tool_call", "c"]);
  });

  it("thoughts are not joined with messages, nor two messages with each other", () => {
    const { coalescer, sent, time } = released();
    coalescer.push(update.agentThought("a", "m"));
    coalescer.push(update.agentMessage("b", "m"));
    coalescer.push(update.agentMessage("c", "n"));
    coalescer.push(update.agentMessage("d", "n"));
    time.advance(16);
    assert.deepEqual(sent, ["a", "b", "cd"]);
  });

  it("flush of the update coalescer sends the joined text", () => {
    const { coalescer, sent } = released();
    coalescer.push(update.agentMessage("a", "m"));
    coalescer.push(update.agentMessage("b", "m"));
    coalescer.flush();
    assert.deepEqual(sent, ["a", "b"]);
    coalescer.flush();
    assert.deepEqual(sent, ["a", "b"]);
  });

  it("the update coalescer sends nothing before release", () => {
    const sent: string[] = [];
    const coalescer = new UpdateCoalescer({ send: (one) => sent.push(textOf(one)), after: fakeClock().after });
    coalescer.push(call);
    coalescer.push(update.agentMessage("a", "m"));
    coalescer.flush();
    assert.deepEqual(sent, []);
    coalescer.release();
    assert.deepEqual(sent, ["tool_call", "a"]);
  });

  it("no more than maxHeld updates are held before release", () => {
    const sent: string[] = [];
    const coalescer = new UpdateCoalescer({ send: (one) => sent.push(textOf(one)), after: fakeClock().after });
    for (let i = 0; i < maxHeld + 10; i++) coalescer.push(call);
    coalescer.release();
    assert.equal(sent.length, maxHeld);
  });
});
