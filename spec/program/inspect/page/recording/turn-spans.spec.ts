/**
 * The inspector's division of a turn into spans of time.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TapeSide, TimelineSpan, SpanKind } from "../../../../../lib/program/inspect/page/recording/model.ts";
import {
  acp,
  answered,
  chunk,
  claude,
  prompt,
  spans as turnSpans,
  tapeOf,
  updated,
} from "../../../../support/program/inspector-modules.ts";

const { maxSpans, placedSpans, spansOf, timeByKind } = turnSpans;

const call = (t: number, id: string): object =>
  updated(t, { sessionUpdate: "tool_call", toolCallId: id, title: `call ${id}` });
const done = (t: number, id: string, status = "completed"): object =>
  updated(t, { sessionUpdate: "tool_call_update", toolCallId: id, status });
const ask = (t: number, id: number): object =>
  acp("out", t, {
    id,
    method: "session/request_permission",
    params: { sessionId: "s-1", toolCall: { title: "may I" } },
  });
const allow = (t: number, id: number): object =>
  acp("in", t, { id, result: { outcome: { outcome: "selected", optionId: "allow" } } });

function firstSpans(side: TapeSide, ...rows: readonly object[]): readonly TimelineSpan[] {
  const [session] = tapeOf(...rows).sessions.values();
  const turn = session?.turns[0];
  assert.ok(turn);
  return spansOf(turn, side);
}

const facts = (spans: readonly TimelineSpan[]): readonly unknown[] =>
  spans.map(({ kind, from, to }) => [kind, from, to]);

describe("spansOf", () => {
  it("a turn is divided into the first wait, thoughts, text, tool calls and permissions", () => {
    const spans = firstSpans(
      "acp",
      prompt(100, 1, "a"),
      updated(300, { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "b" } }),
      updated(400, { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "c" } }),
      chunk(500, "d"),
      chunk(600, "e"),
      call(700, "x"),
      ask(710, 7),
      allow(1710, 7),
      done(2000, "x", "failed"),
      chunk(2100, "f"),
      answered(2200, 1),
    );
    assert.deepEqual(facts(spans), [
      ["wait", 100, 300],
      ["thought", 300, 400],
      ["text", 500, 600],
      ["tool", 700, 2000],
      ["permission", 710, 1710],
      ["text", 2100, 2100],
    ]);
    assert.deepEqual(
      spans.map(({ isFailed }) => isFailed),
      [false, false, false, true, false, false],
    );
    assert.equal(spans[4]?.title, "session/request_permission may I");
  });

  it("a pause of more than a second divides a stream, and an update of another kind does not", () => {
    const usage = (t: number): object => updated(t, { sessionUpdate: "usage_update", used: 1, size: 2 });
    const spans = firstSpans("acp", prompt(0, 1, "a"), chunk(1, "b"), usage(500), chunk(1000, "c"), chunk(2001, "d"));
    assert.deepEqual(facts(spans).slice(1), [
      ["text", 1, 1000],
      ["text", 2001, 2001],
    ]);
  });

  it("a tool call and a permission without an end last until the end of the turn", () => {
    const spans = firstSpans("acp", prompt(0, 1, "a"), call(10, "x"), ask(20, 7), answered(500, 1, "cancelled"));
    assert.deepEqual(facts(spans), [
      ["wait", 0, 10],
      ["tool", 10, 500],
      ["permission", 20, 500],
    ]);
  });

  it("a call that both sides report is one span", () => {
    const event = { type: "content_block_delta", delta: { type: "text_delta", text: "a" } };
    const use = { type: "assistant", message: { content: [{ type: "tool_use", id: "x", name: "Read" }] } };
    const spans = firstSpans(
      "acp",
      prompt(0, 1, "a"),
      claude("out", 5, { type: "stream_event", event }, "s-1"),
      chunk(6, "a"),
      claude("out", 9, use, "s-1"),
      call(10, "x"),
      claude("out", 11, { type: "control_request", request_id: "r", request: { subtype: "can_use_tool" } }, "s-1"),
      ask(12, 7),
      allow(20, 7),
      done(30, "x"),
      answered(40, 1),
    );
    assert.deepEqual(facts(spans), [
      ["wait", 0, 6],
      ["text", 6, 6],
      ["tool", 9, 30],
      ["permission", 12, 20],
    ]);
  });

  it("a request of the agent to the client is a span, and one of the client is none", () => {
    const read = acp("out", 10, { id: 3, method: "fs/read_text_file", params: { sessionId: "s-1", path: "/a" } });
    const mode = acp("in", 12, { id: 4, method: "session/set_mode", params: { sessionId: "s-1", modeId: "plan" } });
    const spans = firstSpans(
      "acp",
      prompt(0, 1, "a"),
      read,
      mode,
      acp("in", 15, { id: 3, error: { code: 1, message: "no" } }),
      acp("out", 16, { id: 4, result: {} }),
    );
    assert.deepEqual(
      spans.map(({ title, from, to, isFailed }) => [title, from, to, isFailed]),
      [["fs/read_text_file /a", 10, 15, true]],
    );
  });
});

describe("placedSpans", () => {
  const [row] = tapeOf(prompt(0, 1, "a")).rows;
  const span = (from: number, to: number, kind: SpanKind = "tool"): TimelineSpan => {
    assert.ok(row);
    return { kind, title: "", from, to, row, isFailed: false };
  };
  const lines = (...all: readonly TimelineSpan[]): readonly number[] => placedSpans(all).map(({ line }) => line);

  it("a span is below the span that contains it, and concurrent spans are on different lines", () => {
    assert.deepEqual(lines(span(0, 100), span(10, 50), span(20, 30), span(60, 90)), [1, 2, 3, 2]);
    assert.deepEqual(lines(span(0, 60), span(30, 90), span(90, 100)), [1, 2, 1]);
    assert.deepEqual(lines(span(0, 10), span(5, 90), span(20, 30)), [1, 2, 3], "not above its parent");
  });

  it("the longest spans are placed when there are more than the limit", () => {
    const many = Array.from({ length: maxSpans + 50 }, (_, i) => span(i * 10, i * 10 + 1 + i / 1000));
    const placed = placedSpans(many);
    assert.equal(placed.length, maxSpans);
    assert.equal(placed[0]?.from, 500);
  });

  it("a moment in which several spans overlap counts once for each kind", () => {
    const spans = [span(0, 10), span(5, 20), span(6, 7), span(30, 40), span(35, 50, "permission")];
    assert.deepEqual(
      [...timeByKind(spans)],
      [
        ["tool", 30],
        ["permission", 15],
      ],
    );
  });
});
