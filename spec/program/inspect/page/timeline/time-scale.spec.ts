/**
 * The parts of the inspector's time axis that need no canvas.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { acp, lanes, scale, tapeOf, updated } from "../../../../support/program/inspector-modules.ts";

const { timeScale, toolBars } = scale;
const times = fc.array(fc.double({ min: 0, max: 1e7, noNaN: true }), { minLength: 1, maxLength: 40 });

describe("timeScale", () => {
  it("positions keep the order of times, from 0 to 1", () => {
    fc.assert(
      fc.property(times, times, (moments, others) => {
        const end = Math.max(...moments);
        const { x } = timeScale(moments, end);
        assert.equal(x(0), 0);
        assert.equal(x(end + 1), end < 0.5 ? 0 : 1);
        const places = [...moments, ...others].sort((left, right) => left - right).map(x);
        places.forEach((place, i) => assert.ok(place >= (places[i - 1] ?? 0) && place <= 1, `${place}`));
      }),
    );
  });

  it("without a long silence positions are proportional to time", () => {
    const { x, breaks } = timeScale([0, 500, 1000, 2000], 2000);
    assert.deepEqual([0, 250, 500, 1500, 2000, 9999].map(x), [0, 0.125, 0.25, 0.75, 1, 1]);
    assert.deepEqual(breaks, []);
  });

  it("a long silence is shortened to a quarter of the threshold, and its start is reported", () => {
    const { x, breaks } = timeScale([500, 1000, 61_000, 61_500, 122_000], 122_000);
    assert.deepEqual(breaks, [1000, 61_500]);
    const silence = 122_000 / 12 / 4;
    const total = 1500 + 2 * silence;
    assert.deepEqual(
      [1000, 61_000, 61_500].map((t) => Math.round(x(t) * total)),
      [1000, Math.round(1000 + silence), Math.round(1500 + silence)],
    );
    assert.ok(x(31_000) > x(1000) && x(31_000) < x(61_000), "time goes on in a silence");
  });

  it("the wait before the first row counts as a silence", () => {
    assert.deepEqual(timeScale([90_000, 90_100], 90_100).breaks, [0]);
  });

  it("an empty recording has a position for every time", () => {
    assert.deepEqual([0, 5].map(timeScale([], 0).x), [0, 0]);
    assert.deepEqual([0, 5].map(timeScale([0], 0).x), [0, 0]);
  });
});

describe("toolBars", () => {
  const call = (id: string, from: number, to: number): readonly object[] => [
    updated(from, { sessionUpdate: "tool_call", toolCallId: id, title: id }),
    updated(to, { sessionUpdate: "tool_call_update", toolCallId: id, status: "completed" }),
  ];
  const linesOf = (...rows: readonly object[]): readonly number[] => {
    const { tools, end, rows: all } = tapeOf(acp("in", 0, { method: "a" }), ...rows);
    return toolBars(
      tools,
      timeScale(
        all.map(({ t }) => t),
        end,
      ),
    ).map(({ line }) => line);
  };

  it("concurrent calls are on different lines, and a free line is used again", () => {
    assert.deepEqual(linesOf(...call("a", 0, 100), ...call("b", 50, 200), ...call("c", 100, 150)), [0, 1, 0]);
  });

  it("the timeline has five lines, and a call that finds none free is put on the last", () => {
    const many = ["a", "b", "c", "d", "e", "f", "g"].flatMap((id) => call(id, 1, 1000));
    assert.deepEqual(linesOf(...many), [0, 1, 2, 3, 4, 4, 4]);
  });

  it("no bar is narrower than the minimum width", () => {
    const { tools } = tapeOf(...call("a", 0, 0));
    const [bar] = toolBars(tools, timeScale([0, 1000], 1000));
    assert.deepEqual([bar?.from, bar?.to], [0, 0.004]);
  });
});

describe("lanesOf", () => {
  it("the recorded participants have lanes side by side", () => {
    const places = (...sides: readonly ("acp" | "claude")[]): unknown =>
      lanes.lanesOf(new Set(sides)).map(({ name, percent }) => [name, percent]);
    assert.deepEqual(places("claude", "acp"), [
      ["Editor", 12],
      ["Agent", 50],
      ["Claude", 88],
    ]);
    assert.deepEqual(places("acp"), [
      ["Editor", 12],
      ["Agent", 88],
    ]);
    assert.deepEqual(places("claude"), [
      ["Agent", 12],
      ["Claude", 88],
    ]);
    assert.deepEqual(places(), [["Agent", 12]]);
  });

  it("both participants of a side have a lane", () => {
    for (const side of ["acp", "claude"] as const) {
      const names = lanes.lanesOf(new Set([side])).map(({ name }) => name);
      assert.deepEqual(lanes.participantsOf(side), names);
    }
  });
});
