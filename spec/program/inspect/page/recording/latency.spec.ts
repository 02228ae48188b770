/**
 * The inspector's histograms of latencies.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { acp, claude, latency, tapeOf, updated } from "../../../../support/program/inspector-modules.ts";

const { latenciesOf } = latency;

/** A request of the editor and its response after `ms`. */
const asked = (id: number, ms: number, method = "session/new"): readonly object[] => [
  acp("in", 1000, { id, method, params: {} }),
  acp("out", 1000 + ms, { id, result: {} }),
];

describe("latenciesOf", () => {
  it("the latencies of each method are counted in buckets, with median, 95th percentile and maximum", () => {
    const times = [0.5, 1, 2, 50, 5000, 60_000];
    const [group, ...others] = latenciesOf(tapeOf(...times.flatMap((ms, id) => asked(id, ms))).rows);
    assert.deepEqual(others, []);
    assert.ok(group);
    assert.deepEqual([group.name, group.side, group.count], ["session/new", "acp", 6]);
    assert.deepEqual([group.p50Ms, group.p95Ms, group.maxMs], [2, 60_000, 60_000]);
    assert.deepEqual(
      group.buckets.map(({ count }) => count),
      [1, 2, 0, 0, 1, 0, 0, 0, 1, 0, 1],
    );
    assert.equal(group.buckets[1]?.slowest?.ms, 2);
    assert.equal(group.buckets[2]?.slowest, undefined);
  });

  it("tool calls are a group of their own, and groups are sorted by their whole time", () => {
    const { rows } = tapeOf(
      ...asked(1, 10, "a"),
      ...asked(2, 400, "b"),
      updated(0, { sessionUpdate: "tool_call", toolCallId: "c", title: "Read" }),
      updated(90, { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" }),
    );
    assert.deepEqual(
      latenciesOf(rows).map(({ name, totalMs }) => [name, totalMs]),
      [
        ["b", 400],
        ["tool calls", 90],
        ["a", 10],
      ],
    );
  });

  it("a method of both sides is a group for each side, and a request without a response is in none", () => {
    const { rows } = tapeOf(
      ...asked(1, 1, "interrupt"),
      claude("in", 1, { type: "control_request", request_id: "r", request: { subtype: "interrupt" } }),
      claude("out", 3, { type: "control_response", response: { request_id: "r", subtype: "success" } }),
      acp("in", 5, { id: 9, method: "session/prompt", params: {} }),
    );
    assert.deepEqual(
      latenciesOf(rows).map(({ name, side }) => [name, side]),
      [
        ["interrupt", "claude"],
        ["interrupt", "acp"],
      ],
    );
  });

  it("a response that is dated before its request counts as immediate", () => {
    const [group] = latenciesOf(tapeOf(...asked(1, -50)).rows);
    assert.deepEqual([group?.maxMs, group?.totalMs, group?.buckets[0]?.count], [0, 0, 1]);
  });
});
