/**
 * Faults: the same seed gives the same faults, and each fault does what its name says.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { FaultPlan, type Faults, FaultStream, noFaults } from "../../../lib/tape/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const numbered = Array.from({ length: 200 }, (_, i) => `line ${i}\n`);

async function through(
  faults: Partial<Faults>,
  lines: readonly string[] = numbered,
  tail = "",
): Promise<{ readonly text: string; readonly told: readonly string[] }> {
  const told: string[] = [];
  const stream = new FaultStream(
    { ...noFaults, seed: 1, side: "agent", ...faults },
    { onFault: (kind, message) => told.push(`${kind} ${message}`), onEnd: (kind) => told.push(`end ${kind}`) },
    (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  );
  let text = "";
  stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const ended = once(stream, "end");
  for (const line of lines) stream.write(line);
  stream.end(tail);
  await ended;
  return { text, told };
}

describe("FaultPlan", () => {
  it("the same seed gives the same faults, and another seed other ones", () => {
    const kinds = (seed: number): string => {
      const plan = new FaultPlan({ ...noFaults, dropRate: 0.3, reorderRate: 0.3, seed, side: "agent" });
      return Array.from({ length: 100 }, () => plan.next().kind).join();
    };
    assert.equal(kinds(5), kinds(5));
    assert.notEqual(kinds(5), kinds(6));
  });

  it("one option does not change which messages another option hits", () => {
    const dropped = (more: Partial<Faults>): readonly number[] => {
      const plan = new FaultPlan({ ...noFaults, dropRate: 0.2, seed: 9, side: "agent", ...more });
      return Array.from({ length: 100 }, (_, i) => (plan.next().kind === "drop" ? i : -1)).filter((i) => i >= 0);
    };
    assert.deepEqual(dropped({}), dropped({ duplicateRate: 0.5, jitterMs: 10 }));
  });
});

describe("FaultStream", () => {
  it("without faults every byte passes unchanged, also half a line", async () => {
    const { text } = await through({}, ["a\nb", "\r\n\n", "\xff"], "half");
    assert.equal(text, "a\nb\r\n\n\xffhalf");
  });

  it("drop loses whole lines, duplicate doubles them, reorder swaps neighbours and loses none", async () => {
    const dropped = (await through({ dropRate: 0.5 })).text.split("\n").filter(Boolean);
    assert.ok(dropped.length > 50 && dropped.length < 150 && dropped.every((line) => /^line \d+$/.test(line)));
    assert.equal((await through({ duplicateRate: 1 })).text.split("\n").length, 401);
    const reordered = (await through({ reorderRate: 0.3 })).text;
    assert.notEqual(reordered, numbered.join(""));
    assert.deepEqual(reordered.split("\n").sort(), numbered.join("").split("\n").sort());
  });

  it("cut sends half of a message and ends; die ends between two messages; stall sends nothing more", async () => {
    const cut = await through({ cutAfter: 2 });
    assert.equal(cut.text, "line 0\nline 1\nlin");
    assert.deepEqual(cut.told, ["cut 3", "end cut"]);
    const died = await through({ dieAfter: 2 });
    assert.equal(died.text, "line 0\nline 1\n");
    assert.deepEqual(died.told, ["die 3", "end die"]);
    assert.equal((await through({ stallAfter: 2 })).text, "line 0\nline 1\n");
  });

  it("delay keeps the order and holds every message for its time", async () => {
    const clock = fakeClock();
    let nowMs = 0;
    const stream = new FaultStream(
      { ...noFaults, delayMs: 50, jitterMs: 100, seed: 3, side: "agent" },
      { onFault: () => {}, onEnd: () => {} },
      clock.after,
      () => nowMs,
    );
    let text = "";
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    for (const line of numbered) stream.write(line);
    const pass = async (ms: number): Promise<void> => {
      nowMs += ms;
      clock.advance(ms);
      await new Promise(setImmediate);
    };
    await pass(49);
    assert.equal(text, "");
    for (let i = 0; i < 20; i++) await pass(50);
    assert.equal(text, numbered.join(""));
  });
});
