/**
 * Specs of volume between the two libraries: long messages, many messages, and
 * concurrent sessions.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { SessionUpdate } from "../../lib/index.ts";
import { openSession, runTurn } from "../support/interop/caller.ts";
import { describePairs } from "../support/interop/describe-pairs.ts";
import { processPairs, streamPairs } from "../support/interop/pairs.ts";

/** Fewer where both libraries share one process. */
const rows = [
  ...processPairs.map((pair) => ({ ...pair, manyUpdates: 10_000 })),
  ...streamPairs.map((pair) => ({ ...pair, manyUpdates: 2_000 })),
];
/** 5 MB in UTF-8, with characters of two, three and four bytes that chunks may split. */
const longText = "é☕🪢 line\n".repeat(5_000_000 / 16).slice(0, -1);

describePairs("volume", rows, ({ scripted, caller }, { manyUpdates }) => {
  it("both libraries carry 5 MB in a prompt and back in an update", async () => {
    const sessionId = await openSession(caller);
    const prompt = [{ type: "text", text: "echo" } as const, { type: "text", text: longText } as const];
    assert.equal((await caller.call("session/prompt", { sessionId, prompt })).stopReason, "end_turn");
    // Not `assert.equal`, which would print both texts.
    assert.ok(textOf(await scripted.updates(sessionId).next()) === longText);
  });

  it(`both libraries deliver ${manyUpdates} updates in order, all before the response`, async () => {
    const sessionId = await openSession(caller);
    const heardBefore = scripted.wire.length;
    await runTurn(caller, sessionId, `flood ${manyUpdates}`);
    const said = await scripted.updates(sessionId).take(manyUpdates);
    assert.deepEqual(
      said.map(textOf),
      Array.from({ length: manyUpdates }, (_, i) => String(i)),
    );
    assert.ok(scripted.wire[heardBefore + manyUpdates]?.includes('"result"'));
    assert.equal(scripted.wire.length, heardBefore + manyUpdates + 1);
  });

  it("both libraries keep two sessions apart that stream at once", async () => {
    const left = await openSession(caller);
    const right = await openSession(caller);
    await Promise.all([runTurn(caller, left, "flood 300"), runTurn(caller, right, "flood 200")]);
    const [fromLeft, fromRight] = await Promise.all([
      scripted.updates(left).take(300),
      scripted.updates(right).take(200),
    ]);
    assert.deepEqual(
      fromLeft.map(textOf),
      Array.from({ length: 300 }, (_, i) => String(i)),
    );
    assert.deepEqual(
      fromRight.map(textOf),
      Array.from({ length: 200 }, (_, i) => String(i)),
    );
  });

  it("both libraries run a turn while another session waits, and cancel only the named one", async () => {
    const waiting = await openSession(caller);
    const other = await openSession(caller);
    const turn = runTurn(caller, waiting, "wait");
    await scripted.updates(waiting).next();
    const otherTurn = runTurn(caller, other, "wait");
    await scripted.updates(other).next();
    caller.cancel(other);
    assert.equal(await otherTurn, "cancelled");
    assert.equal(await runTurn(caller, other, "stop end_turn"), "end_turn");
    assert.deepEqual(scripted.updates(waiting).rest, []);
    caller.cancel(waiting);
    assert.equal(await turn, "cancelled");
  });

  it("both libraries answer fifty requests at once, each with its own result", async () => {
    const asked = Array.from({ length: 50 }, (_, i) => ({ number: i }));
    assert.deepEqual(await Promise.all(asked.map((params) => caller.ask("_x/echo", params))), asked);
  });
});

function textOf(update: SessionUpdate): string | undefined {
  if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") return undefined;
  return update.content.text;
}
