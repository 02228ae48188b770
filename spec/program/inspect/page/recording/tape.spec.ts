/**
 * The inspector's tape parser: requests and responses, tool calls, sessions and turns,
 * and invalid rows.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { MessageRow, TapeModel } from "../../../../../lib/program/inspect/page/recording/model.ts";
import {
  acp,
  answered,
  chunk,
  claude,
  codex,
  list,
  prompt,
  readTape,
  scale,
  tapeOf,
  updated,
  views,
} from "../../../../support/program/inspector-modules.ts";

const pairs = ({ rows }: TapeModel): readonly (number | undefined)[] => rows.map(({ pair }) => pair?.i);
const names = (rows: readonly MessageRow[]): readonly string[] => rows.map(({ name }) => name);

describe("readTape", () => {
  it("every message becomes a row with its time, side and size", () => {
    const msg = { jsonrpc: "2.0", id: 1, method: "initialize" };
    const { rows, end, chars, sides } = tapeOf({ dir: "in", t: 3, side: "acp", msg }, claude("out", 9, { type: "a" }));
    assert.deepEqual(
      rows.map(({ i, t, side, dir, name }) => [i, t, side, dir, name]),
      [
        [0, 3, "acp", "in", "initialize"],
        [1, 9, "claude", "out", "a"],
      ],
    );
    assert.equal(rows[0]?.chars, JSON.stringify(msg).length);
    assert.deepEqual([end, chars, [...sides]], [9, JSON.stringify(msg).length + 12, ["acp", "claude"]]);
  });

  it("a row without a side gets it from its message", () => {
    const { rows } = tapeOf({ dir: "in", msg: { jsonrpc: "2.0", method: "a" } }, { dir: "in", msg: { type: "b" } });
    assert.deepEqual(
      rows.map(({ side }) => side),
      ["acp", "claude"],
    );
  });

  it("the messages of Codex are paired, grouped by thread and turn, and its calls are tools", () => {
    const threadId = "t-1";
    const item = { type: "commandExecution", id: "c-1", command: "ls", status: "inProgress" };
    const tape = tapeOf(
      { dir: "meta", t: 0, side: "codex" },
      codex("in", 1, { id: 1, method: "thread/start", params: { cwd: "/a" } }),
      codex("out", 2, { id: 1, result: { thread: { id: threadId } } }),
      codex("in", 3, { id: 2, method: "turn/start", params: { threadId, input: [{ type: "text", text: "go" }] } }),
      codex("out", 4, { id: 2, result: { turn: { id: "u-1" } } }),
      codex("out", 5, { method: "item/started", params: { threadId, item } }),
      codex("out", 6, { id: 0, method: "item/commandExecution/requestApproval", params: { threadId, command: "ls" } }),
      codex("in", 7, { id: 0, result: { decision: "accept" } }),
      codex("out", 8, { method: "item/completed", params: { threadId, item: { ...item, status: "completed" } } }),
      codex("out", 9, { method: "item/agentMessage/delta", params: { threadId, itemId: "m", delta: "Hello" } }),
      codex("out", 10, { method: "turn/completed", params: { threadId, turn: { id: "u-1", status: "completed" } } }),
    );
    assert.deepEqual([...tape.sides], ["codex"]);
    assert.deepEqual(pairs(tape), [undefined, 2, 1, 4, 3, undefined, 7, 6, undefined, undefined, undefined]);
    assert.equal(tape.rows[0]?.name, "codex starts");
    assert.equal(tape.rows[7]?.say, "accept");
    assert.equal(tape.rows[9]?.family, "text");
    assert.equal(tape.rows[3]?.session, threadId);
    const turns = tape.sessions.get(threadId)?.turns ?? [];
    assert.deepEqual(
      turns.map(({ first, last }) => [first.i, last?.i]),
      [[3, 10]],
    );
    assert.deepEqual(
      tape.tools.map(({ title, from, to, status }) => [title, from, to, status]),
      [["ls", 5, 8, "completed"]],
    );
  });

  it("metadata of the recording is kept apart, and the start of a CLI is a row", () => {
    const { meta, rows } = tapeOf(
      { dir: "meta", file: "a" },
      { dir: "meta", start: "b" },
      { dir: "meta", session: "s", cwd: "/a" },
    );
    assert.deepEqual([meta["file"], meta["start"]], ["a", "b"]);
    assert.deepEqual(names(rows), ["claude starts"]);
    assert.deepEqual([rows[0]?.say, rows[0]?.session], ["/a", "s"]);
  });

  it("the end of input, stderr and exits are rows too", () => {
    const { rows, chars } = tapeOf(
      { dir: "in", side: "acp", eof: true },
      { dir: "stderr", text: "oh\nno" },
      { dir: "exit", code: 1, signal: null },
      { dir: "exit", code: null, signal: "SIGKILL" },
    );
    assert.deepEqual(
      rows.map(({ name, say }) => [name, say]),
      [
        ["end of input", ""],
        ["stderr", "oh no"],
        ["exit", "code 1"],
        ["exit", "SIGKILL"],
      ],
    );
    assert.equal(chars, 0);
  });

  it("a problem is attached to the row before it", () => {
    const { rows, problems } = tapeOf(
      { dir: "problem", about: "of nothing" },
      acp("in", 1, { method: "a" }),
      { dir: "problem", about: "one" },
      { dir: "problem", about: "two" },
      acp("in", 2, { method: "b" }),
    );
    assert.deepEqual(
      rows.map((row) => row.problems),
      [["one", "two"], undefined],
    );
    assert.equal(problems, 3);
  });
});

describe("readTape, requests and responses", () => {
  it("a response is linked to the request of the opposite direction", () => {
    const tape = tapeOf(
      acp("in", 10, { id: 1, method: "session/new", params: {} }),
      acp("out", 20, { id: 1, method: "fs/read_text_file", params: { path: "/a" } }),
      acp("in", 25, { id: 1, result: { content: "text" } }),
      acp("out", 40, { id: 1, result: { sessionId: "s-1" } }),
    );
    assert.deepEqual(pairs(tape), [3, 2, 1, 0]);
    assert.deepEqual(
      tape.rows.map(({ name, isAnswer, ms }) => [name, isAnswer, ms]),
      [
        ["session/new", false, 30],
        ["fs/read_text_file", false, 5],
        ["fs/read_text_file", true, 5],
        ["session/new", true, 30],
      ],
    );
    assert.deepEqual([tape.rows[0]?.session, tape.rows[3]?.session], ["s-1", "s-1"], "a question learns its session");
  });

  it("a number and a string of the same digits are different ids, and an id can be reused", () => {
    const ask = (id: unknown): object => acp("in", 1, { id, method: "a" });
    const answer = (id: unknown): object => acp("out", 2, { id, result: {} });
    assert.deepEqual(pairs(tapeOf(ask(1), ask("1"), answer("1"), answer(1))), [3, 2, 1, 0]);
    assert.deepEqual(pairs(tapeOf(ask(1), answer(1), ask(1), answer(1))), [1, 0, 3, 2]);
  });

  it("control requests of the CLI are linked to their responses, separately for each CLI", () => {
    const ask = (session: string): object =>
      claude("out", 1, { type: "control_request", request_id: "r", request: { subtype: "can_use_tool" } }, session);
    const answer = (session: string): object =>
      claude("in", 4, { type: "control_response", response: { request_id: "r", subtype: "success" } }, session);
    const tape = tapeOf(ask("a"), ask("b"), answer("b"), answer("a"));
    assert.deepEqual(pairs(tape), [3, 2, 1, 0]);
    assert.deepEqual(names(tape.rows), ["can_use_tool", "can_use_tool", "can_use_tool", "can_use_tool"]);
  });

  it("a response without a request is shown as a response", () => {
    const [row] = tapeOf(acp("out", 1, { id: 9, result: {} })).rows;
    assert.deepEqual([row?.isAnswer, row?.pair, row?.name], [true, undefined, "answer"]);
  });

  it("error responses, failed tool calls and error results are marked as errors", () => {
    const { rows } = tapeOf(
      acp("out", 1, { id: 1, error: { code: 1, message: "no" } }),
      updated(2, { sessionUpdate: "tool_call_update", toolCallId: "c", status: "failed" }),
      claude("out", 3, { type: "result", is_error: true }),
      claude("out", 4, { type: "control_response", response: { subtype: "error" } }),
      claude("out", 5, { type: "result", is_error: false }),
    );
    assert.deepEqual(
      rows.map(({ isError }) => isError),
      [true, true, true, true, false],
    );
  });
});

describe("readTape, tool calls", () => {
  it("a tool call has its start, end and status", () => {
    const { tools, rows } = tapeOf(
      updated(10, { sessionUpdate: "tool_call", toolCallId: "c", title: "Read a", status: "pending" }),
      updated(20, { sessionUpdate: "tool_call_update", toolCallId: "c", status: "in_progress" }),
      updated(50, { sessionUpdate: "tool_call_update", toolCallId: "c", status: "failed" }),
      updated(60, { sessionUpdate: "tool_call", toolCallId: "d", title: "Read b" }),
    );
    assert.deepEqual(
      tools.map(({ title, from, to, status, row }) => [title, from, to, status, row.i]),
      [
        ["Read a", 10, 50, "failed", 0],
        ["Read b", 60, 60, "", 3],
      ],
    );
    assert.deepEqual([rows[0]?.ms, rows[0]?.tool, rows[1]?.tool], [40, tools[0], undefined]);
  });

  it("a tool call that both sides report is counted once", () => {
    const use = { type: "assistant", message: { content: [{ type: "tool_use", id: "c", name: "Read" }] } };
    const done = { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "c", is_error: true }] } };
    const call = updated(2, { sessionUpdate: "tool_call", toolCallId: "c", title: "Read a" });
    const end = updated(9, { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" });
    const said = (...rows: readonly object[]): unknown =>
      tapeOf(...rows).tools.map(({ title, to, status }) => [title, to, status]);
    assert.deepEqual(said(claude("out", 1, use), claude("in", 7, done)), [["Read", 7, "failed"]]);
    assert.deepEqual(said(claude("out", 1, use), call, claude("in", 7, done)), [["Read", 7, "failed"]]);
    assert.deepEqual(said(call, claude("out", 3, use), claude("in", 7, done), end), [["Read a", 9, "completed"]]);
  });
});

describe("readTape, sessions and turns", () => {
  const turns = (tape: TapeModel, id = "s-1"): unknown =>
    tape.sessions.get(id)?.turns.map(({ n, first, last, rows }) => [n, first.i, last?.i, rows.map(({ i }) => i)]);

  it("a turn is from a prompt to its response", () => {
    const tape = tapeOf(
      acp("in", 1, { id: 1, method: "session/load", params: { sessionId: "s-1" } }),
      prompt(2, 2, "one"),
      chunk(3, "a"),
      answered(4, 2),
      chunk(5, "between"),
      prompt(6, 3, "two"),
      chunk(7, "b"),
    );
    assert.deepEqual(turns(tape), [
      [1, 1, 3, [1, 2, 3]],
      [2, 5, undefined, [5, 6]],
    ]);
    assert.equal(tape.rows[4]?.turn, undefined);
  });

  it("a queued prompt is a turn of its own, and a response ends the turn of its prompt", () => {
    const tape = tapeOf(
      prompt(1, 1, "a"),
      prompt(2, 2, "b"),
      chunk(3, "c"),
      answered(4, 1),
      chunk(5, "d"),
      answered(6, 2),
    );
    assert.deepEqual(turns(tape), [
      [1, 0, 3, [0, 1, 2, 3]],
      [2, 1, 5, [4, 5]],
    ]);
  });

  it("without the editor's side a turn begins with the CLI's user message", () => {
    const user = { type: "user", message: { content: "hello" } };
    const tape = tapeOf(
      claude("out", 1, { type: "system", subtype: "init" }),
      claude("in", 2, user),
      claude("out", 3, user),
      claude("out", 4, { type: "result" }),
    );
    assert.deepEqual(turns(tape, ""), [[1, 1, 3, [1, 2, 3]]]);
  });

  it("the CLI's rows belong to the only session, and to none when there are several", () => {
    const cli = claude("out", 2, { type: "keep_alive" });
    assert.equal(tapeOf(prompt(1, 1, "a"), cli).rows[1]?.session, "s-1");
    assert.equal(tapeOf(prompt(1, 1, "a"), prompt(1, 2, "b", "s-2"), cli).rows[2]?.session, undefined);
    assert.deepEqual([...tapeOf(cli).sessions.keys()], [""]);
  });

  it("sessions are in the order they began", () => {
    const tape = tapeOf(chunk(1, "a", "z"), chunk(2, "b", "a"), chunk(3, "c", "z"));
    assert.deepEqual(
      [...tape.sessions].map(([id, { rows }]) => [id, rows.length]),
      [
        ["z", 2],
        ["a", 1],
      ],
    );
  });
});

describe("readTape, invalid rows", () => {
  const keys = "jsonrpc id method params result error type subtype event delta message content update request".split(
    " ",
  );
  const more = "response request_id status title entries prompt toolCallId sessionUpdate sessionId text toString".split(
    " ",
  );
  const said = ["session/update", "session/prompt", "tool_call", "agent_message_chunk", "tool_use", "tool_result"];
  const kinds = ["stream_event", "control_request", "control_response", "assistant", "user", "result", "completed", ""];
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      fc.constantFrom(null, -0, 1e300, true, "__proto__", "constructor", ...said, ...kinds),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys, ...more), tie("value"), { maxKeys: 8 }),
    ),
  }));

  it("a message of any shape becomes a row of text that the list can show", () => {
    const row = fc.record(
      {
        dir: fc.constantFrom("in", "out"),
        side: fc.constantFrom("acp", "claude"),
        t: value,
        session: value,
        msg: value,
      },
      { requiredKeys: ["dir"] },
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
        const tape = tapeOf(...rows);
        assert.equal(tape.rows.length, rows.length);
        for (const { t, name, say, session = "", tool, ms = 0 } of tape.rows) {
          assert.ok(Number.isFinite(t) && Number.isFinite(ms));
          for (const text of [name, say, session, tool?.title ?? ""]) assert.equal(typeof text, "string");
        }
        assert.equal(list.countRows(list.itemsOf(tape, { ...views.openingView(tape), isFlat: true })), rows.length);
        scale.toolBars(
          tape.tools,
          scale.timeScale(
            tape.rows.map(({ t }) => t),
            tape.end,
          ),
        );
      }),
      { numRuns: 500 },
    );
  });

  it("a line on the wire that was no JSON is shown unchanged", () => {
    const { rows } = tapeOf({ dir: "in", t: 1, side: "acp", raw: "{oh" }, { dir: "in", t: 2, side: "acp", msg: 5 });
    assert.deepEqual(
      rows.map(({ name, say }) => [name, say]),
      [
        ["not JSON", "{oh"],
        ["not JSON", ""],
      ],
    );
  });

  it("lines that are no rows are skipped, and a line that is no JSON is an error", () => {
    assert.equal(readTape('\n5\nnull\n"a"\n').rows.length, 0);
    assert.throws(() => readTape("{oh"), SyntaxError);
  });

  it("a row with an invalid time is at time 0", () => {
    const times = readTape('{"dir":"in","t":1e999,"msg":{}}\n{"dir":"in","t":"5","msg":{}}\n{"dir":"in","msg":{}}');
    assert.deepEqual([times.rows.map(({ t }) => t), times.end], [[0, 0, 0], 0]);
  });
});
