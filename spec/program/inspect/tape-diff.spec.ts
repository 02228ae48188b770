/**
 * The comparison of two tapes.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commonPairs } from "../../../lib/program/inspect/sequence-alignment.ts";
import { diffTapes } from "../../../lib/program/inspect/tape-diff.ts";
import { readRows, type Row } from "../../../lib/tape/index.ts";
import { acp, answered, chunk, claude, prompt, updated } from "../../support/program/inspector-modules.ts";

const tape = (...rows: readonly object[]): readonly Row[] =>
  readRows(rows.map((row) => JSON.stringify(row)).join("\n"));

/** What happened to each row, by the index in its tape. */
function facts(before: readonly Row[], after: readonly Row[]): object {
  const { changes, removed } = diffTapes(before, after);
  return {
    changed: after.flatMap((row, i) => (changes.get(row)?.diff === "changed" ? [i] : [])),
    added: after.flatMap((row, i) => (changes.get(row)?.diff === "added" ? [i] : [])),
    removed: [...removed.values()].flat().map(({ row }) => before.indexOf(row)),
  };
}

const call = (t: number, title: string, id = `toolu_${t}`): object =>
  updated(t, { sessionUpdate: "tool_call", toolCallId: id, title });

describe("diffTapes", () => {
  it("times, request ids and session ids of two runs do not differ", () => {
    const run = (t: number, id: number, session: string): readonly Row[] =>
      tape(
        acp("in", t, { id, method: "session/new", params: { cwd: "/a" } }),
        acp("out", t + 1, { id, result: { sessionId: session } }),
        prompt(t + 2, id + 1, "go", session),
        chunk(t + 3, "hello", session),
        answered(t + 4, id + 1),
      );
    assert.deepEqual(facts(run(0, 1, "s-1"), run(700, 40, "s-2")), { changed: [], added: [], removed: [] });
  });

  it("ids and durations that the CLI makes anew do not differ, and the ids of modes do", () => {
    const run = (digit: string, modeId: string): readonly Row[] => {
      const uuid = `1a664dbf-87b8-4625-985b-0c680bfab13${digit}`;
      const event = { type: "message_start", message: { id: `msg_${digit}`, role: "assistant" } };
      return tape(
        claude("out", 1, { type: "stream_event", event, uuid, user_message_uuids: [uuid], ttft_ms: Number(digit) }),
        acp("in", 2, { id: 1, method: "session/set_mode", params: { sessionId: "s", modeId } }),
      );
    };
    assert.deepEqual(facts(run("1", "plan"), run("2", "plan")), { changed: [], added: [], removed: [] });
    assert.deepEqual(facts(run("1", "plan"), run("2", "default")), { changed: [1], added: [], removed: [] });
  });

  it("a stream that was split elsewhere is the same, and one with another text is changed", () => {
    const before = tape(prompt(0, 1, "a"), chunk(1, "one "), chunk(2, "two"), answered(3, 1));
    const same = tape(prompt(0, 1, "a"), chunk(1, "o"), chunk(2, "ne t"), chunk(3, "wo"), answered(4, 1));
    assert.deepEqual(facts(before, same), { changed: [], added: [], removed: [] });
    const other = tape(prompt(0, 1, "a"), chunk(1, "one "), chunk(9, "three"), answered(10, 1));
    assert.deepEqual(facts(before, other), { changed: [1, 2], added: [], removed: [] });
    const first = other[1];
    assert.ok(first);
    assert.deepEqual(diffTapes(before, other).changes.get(first), {
      diff: "changed",
      was: "one two",
      now: "one three",
      wasT: 1,
    });
  });

  it("an equal message is found again before a message of the same name is called changed", () => {
    const before = tape(prompt(0, 1, "a"), call(1, "Read a"), call(2, "Read b"), answered(3, 1));
    const after = tape(prompt(0, 1, "a"), call(5, "Read b"), answered(6, 1));
    assert.deepEqual(facts(before, after), { changed: [], added: [], removed: [1] });
    const renamed = tape(prompt(0, 1, "a"), call(1, "Read a"), call(2, "Read c"), call(3, "Read d"), answered(4, 1));
    assert.deepEqual(facts(before, renamed), { changed: [2], added: [3], removed: [] });
  });

  it("a removed message is placed before the next common one, in the session that has its place", () => {
    const before = tape(prompt(0, 1, "a", "old"), updated(1, { sessionUpdate: "plan" }, "old"), answered(2, 1));
    const after = tape(prompt(0, 1, "a", "new"), answered(2, 1));
    const [[place, rows] = []] = [...diffTapes(before, after).removed];
    assert.equal(place, after[1]);
    assert.deepEqual(
      rows?.map(({ row, session }) => [before.indexOf(row), session]),
      [[1, "new"]],
    );
  });

  it("a response is compared with the response to the same method", () => {
    const ask = (id: number, method: string): object => acp("in", id, { id, method, params: {} });
    const reply = (id: number, result: object): object => acp("out", id, { id, result });
    const before = tape(ask(1, "a"), ask(2, "b"), reply(1, { x: 1 }), reply(2, { y: 1 }));
    const after = tape(ask(1, "a"), ask(2, "b"), reply(2, { y: 1 }), reply(1, { x: 2 }));
    assert.deepEqual(facts(before, after), { changed: [], added: [3], removed: [2] });
  });

  it("an empty tape and messages of any shape can be compared", () => {
    const odd = tape(
      { dir: "in", side: "acp", msg: { id: {}, params: 5 } },
      { dir: "out", side: "claude", msg: { type: 5, event: [] } },
      { dir: "in", side: "acp", raw: "no JSON" },
      { dir: "stderr", text: "x" },
    );
    assert.deepEqual(facts([], odd), { changed: [], added: [0, 1, 2], removed: [] });
    assert.deepEqual(facts(odd, []), { changed: [], added: [], removed: [0, 1, 2] });
    assert.deepEqual(facts(odd, odd), { changed: [], added: [], removed: [] });
  });
});

describe("commonPairs", () => {
  it("the longest common subsequence is found between the equal head and tail", () => {
    const [left, right] = ["a b X c d Y e".split(" "), "a b c Z d W e".split(" ")];
    const pairs = commonPairs(left, right);
    assert.equal(pairs.map(([i]) => left[i]).join(""), "abcde");
    assert.equal(pairs.map(([, j]) => right[j]).join(""), "abcde");
  });

  it("two long sequences are aligned in time that grows with their length", () => {
    const left = Array.from({ length: 30_000 }, (_, i) => `${i}`);
    const right = ["first", ...left.filter((_, i) => i % 100 !== 7), "last"];
    assert.equal(commonPairs(left, right).length, 29_700);
  });
});
