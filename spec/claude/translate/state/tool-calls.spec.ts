/**
 * Tool calls are announced once, send only what changed, and end.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionUpdate } from "../../../../lib/acp/index.ts";
import { foldEnd } from "../../../../lib/claude/translate/index.ts";
import {
  assistant,
  blockStarted,
  contentOf,
  cwd,
  inputDelta,
  opening,
  result,
  TranslatorHarness,
  started,
  toolResult,
  toolUse,
} from "../../../support/translate/cli-events.ts";

const write = { file_path: `${cwd}/a.txt`, content: "hello\n" };

describe("a call that is being written", () => {
  it("a call is announced when its partial input suffices for a title, without a diff", () => {
    const translator = new TranslatorHarness();
    assert.deepEqual(
      translator.take(started(), blockStarted({ type: "tool_use", id: "call-1", name: "Write", input: {} })),
      [],
    );
    assert.deepEqual(translator.take(inputDelta(`{"file_path":"${cwd}/a`)), []);
    const [call, ...more] = translator.take(inputDelta('.txt","content":"hel'), inputDelta('lo\\n"}'));
    assert.deepEqual(more, []);
    assert.equal(call?.sessionUpdate, "tool_call");
    assert.equal(call?.sessionUpdate === "tool_call" && call.title, "Write a.txt");
    assert.equal(call?.sessionUpdate === "tool_call" && call.status, "pending");
    assert.equal(call?.sessionUpdate === "tool_call" && call.content, undefined);
  });

  it("a call is in_progress when its input is complete, with only what is new", () => {
    const translator = new TranslatorHarness();
    translator.take(started(), blockStarted({ type: "tool_use", id: "call-1", name: "Write", input: {} }));
    translator.take(inputDelta(JSON.stringify(write)));
    const [change, ...more] = translator.take(assistant([toolUse("Write", write)]));
    assert.deepEqual(more, []);
    assert.deepEqual(change, {
      sessionUpdate: "tool_call_update",
      toolCallId: "call-1",
      status: "in_progress",
      content: [{ type: "diff", path: `${cwd}/a.txt`, oldText: null, newText: "hello\n" }],
      rawInput: { file_path: `${cwd}/a.txt` },
    });
  });

  it("a call that is abandoned before its announcement is never shown", () => {
    const translator = new TranslatorHarness();
    translator.take(
      started(),
      blockStarted({ type: "tool_use", id: "call-1", name: "Bash", input: {} }),
      inputDelta('{"comm'),
    );
    assert.deepEqual(translator.take(result({ terminal_reason: "aborted_streaming" })), []);
  });

  it("an announced call that is abandoned is ended", () => {
    const translator = new TranslatorHarness();
    translator.take(started(), blockStarted({ type: "tool_use", id: "call-1", name: "Bash", input: {} }));
    translator.take(inputDelta('{"command":"ls","descr'));
    const [end] = translator.take(result({ terminal_reason: "aborted_streaming" }));
    assert.deepEqual(end, {
      sessionUpdate: "tool_call_update",
      toolCallId: "call-1",
      status: "failed",
      content: [{ type: "content", content: { type: "text", text: "Cancelled." } }],
    });
  });

  it("parallel calls are kept apart by their block index", () => {
    const translator = new TranslatorHarness();
    translator.take(started());
    translator.take(blockStarted({ type: "tool_use", id: "call-1", name: "Bash", input: {} }, 1));
    translator.take(blockStarted({ type: "tool_use", id: "call-2", name: "Bash", input: {} }, 2));
    const updates = translator.take(inputDelta('{"command":"two"}', 2), inputDelta('{"command":"one"}', 1));
    assert.deepEqual(
      updates.map((one) => one.sessionUpdate === "tool_call" && [one.toolCallId, one.title]),
      [
        ["call-2", "two"],
        ["call-1", "one"],
      ],
    );
  });
});

describe("a call that was not streamed", () => {
  it("a call that was not streamed is announced with its content, then in_progress", () => {
    const [call, progress, ...more] = new TranslatorHarness().take(assistant([toolUse("Write", write)]));
    assert.deepEqual(more, []);
    assert.equal(call?.sessionUpdate === "tool_call" && call.content?.length, 1);
    assert.deepEqual(progress, { sessionUpdate: "tool_call_update", toolCallId: "call-1", status: "in_progress" });
  });

  it("a call of a subagent names its parent call", () => {
    const [call] = new TranslatorHarness().take(assistant([toolUse("Read", {})], { parent_tool_use_id: "agent-1" }));
    const meta = call?.sessionUpdate === "tool_call" ? call._meta : undefined;
    assert.deepEqual(meta?.["claudeCode"], { toolName: "Read", parentToolUseId: "agent-1" });
  });
});

describe("the end of a call", () => {
  it("a second result of a call is ignored", () => {
    const translator = new TranslatorHarness();
    translator.take(assistant([toolUse("Read", {})]));
    assert.equal(translator.take(toolResult("x")).length, 1);
    assert.deepEqual(translator.take(toolResult("x")), []);
  });

  it("a result of an unknown call is ignored", () => {
    assert.deepEqual(new TranslatorHarness().take(toolResult("x", {}, "unknown")), []);
  });

  it("a result of a call that was never announced announces the call first", () => {
    const translator = new TranslatorHarness();
    translator.take(started(), blockStarted({ type: "tool_use", id: "call-1", name: "Skill", input: {} }));
    const kinds = translator.take(toolResult("stopped", {}, "call-1", true)).map((one) => one.sessionUpdate);
    assert.deepEqual(kinds, ["tool_call", "tool_call_update"]);
  });

  it("the end of the turn fails open calls and keeps their diffs", () => {
    const translator = new TranslatorHarness();
    translator.take(assistant([toolUse("Write", write, "call-1"), toolUse("Bash", { command: "ls" }, "call-2")]));
    const updates = translator.take(result());
    assert.deepEqual(
      updates.map((one) => one.sessionUpdate === "tool_call_update" && [one.toolCallId, one.status, contentOf(one)]),
      [
        ["call-1", "failed", ["It did not run to its end.", `${cwd}/a.txt: null -> "hello\\n"`]],
        ["call-2", "failed", ["It did not run to its end."]],
      ],
    );
    assert.deepEqual(translator.take(result()), []);
  });

  it("a client that asks for it gets the whole input and the structured result, and no other client", () => {
    const raw = (wantsRaw: boolean, name: string, input: object) => {
      const translator = new TranslatorHarness({ wantsRaw, textOf: () => "hello\n" });
      const json = JSON.stringify(input);
      const updates = translator.take(
        started(),
        blockStarted({ type: "tool_use", id: "call-1", name, input: {} }),
        inputDelta(json.slice(0, -1)),
        assistant([toolUse(name, input)]),
        toolResult("ok", { tool_use_result: { type: "update", originalFile: "hello\n" } }),
      );
      return updates.flatMap((one) =>
        "toolCallId" in one ? [{ rawInput: one.rawInput, rawOutput: one.rawOutput }] : [],
      );
    };
    const result = { type: "update", originalFile: "hello\n" };
    const [first, second, last] = raw(true, "Write", write);
    assert.deepEqual(
      [first?.rawInput, second?.rawInput, last?.rawInput, last?.rawOutput],
      [undefined, write, undefined, result],
    );
    const other = raw(false, "Write", write);
    assert.deepEqual(other[1]?.rawInput, { file_path: write.file_path });
    assert.ok(other.every(({ rawOutput }) => rawOutput === undefined));
  });

  it("open calls end when the CLI exits", () => {
    const translator = new TranslatorHarness({ showsTerminals: true });
    translator.take(assistant([toolUse("Bash", { command: "ls" })]));
    const [output, exit] = foldEnd(translator.state, "The Claude CLI ended.");
    assert.deepEqual(output?._meta, { terminal_output: { terminal_id: "call-1", data: "The Claude CLI ended." } });
    assert.deepEqual(exit?._meta, { terminal_exit: { terminal_id: "call-1", exit_code: null, signal: null } });
  });

  it("the output of a terminal is sent once, before its exit", () => {
    const translator = new TranslatorHarness({ showsTerminals: true });
    translator.take(assistant([toolUse("Bash", { command: "ls" })]));
    const [output, exit] = translator.take(toolResult("a", { tool_use_result: { stdout: "a", stderr: "" } }));
    assert.deepEqual(output, {
      sessionUpdate: "tool_call_update",
      toolCallId: "call-1",
      _meta: { terminal_output: { terminal_id: "call-1", data: "a" } },
    });
    assert.equal(exit?.sessionUpdate === "tool_call_update" && exit.status, "completed");
  });
});

describe("a subagent in the background", () => {
  const launched = { tool_use_result: { isAsync: true, agentId: "a1" } };
  const begin = (): TranslatorHarness => {
    const translator = new TranslatorHarness();
    translator.take(assistant([toolUse("Agent", { description: "Count" })]));
    translator.take({ type: "system", subtype: "task_started", task_id: "t1", tool_use_id: "call-1" });
    translator.take(toolResult("Async agent launched successfully", launched));
    return translator;
  };
  const done = { type: "system", subtype: "task_notification", task_id: "t1", status: "completed", summary: "Counted" };

  it("a background subagent and its calls stay open after the end of the turn", () => {
    const translator = begin();
    translator.take(assistant([toolUse("Read", {}, "child")], { parent_tool_use_id: "call-1" }));
    assert.deepEqual(translator.take(result()), []);
  });

  it("a background subagent ends with its task and shows its last text", () => {
    const translator = begin();
    translator.take(assistant([{ type: "text", text: "One file." }], { parent_tool_use_id: "call-1" }));
    const [end] = translator.take(done);
    assert.deepEqual(end?.sessionUpdate === "tool_call_update" && [end.status, contentOf(end)], [
      "completed",
      ["One file."],
    ]);
    assert.deepEqual(translator.take(done), []);
  });

  it("a background subagent without text shows the task's summary, and fails when the task failed", () => {
    const [end] = begin().take({ ...done, status: "failed" });
    assert.deepEqual(end?.sessionUpdate === "tool_call_update" && [end.status, contentOf(end)], [
      "failed",
      ["Counted"],
    ]);
  });

  it("a background subagent is forgotten when its task has ended", () => {
    const translator = begin();
    assert.equal(translator.state.tasks.size, 1);
    translator.take(done);
    assert.equal(translator.state.tasks.size, 0);
  });

  it("a call that names itself as its parent does not cause an endless loop", () => {
    const translator = new TranslatorHarness();
    translator.take(assistant([toolUse("Read", {}, "a")], { parent_tool_use_id: "b" }));
    translator.take(assistant([toolUse("Read", {}, "b")], { parent_tool_use_id: "a" }));
    translator.take(assistant([toolUse("Read", {}, "c")], { parent_tool_use_id: "c" }));
    assert.equal(translator.take(result()).length, 3);
  });

  it("the open calls of a background subagent end with it", () => {
    const translator = begin();
    translator.take(assistant([toolUse("Read", {}, "child")], { parent_tool_use_id: "call-1" }));
    const ids = translator
      .take(done)
      .map((one) => one.sessionUpdate === "tool_call_update" && [one.toolCallId, one.status]);
    assert.deepEqual(ids, [
      ["child", "failed"],
      ["call-1", "completed"],
    ]);
  });

  it("a background subagent ends when the conversation is cleared or the CLI exits", () => {
    assert.equal(begin().take({ type: "conversation_reset" }).length, 1);
    assert.equal(foldEnd(begin().state, "gone").length, 1);
  });
});

describe("a call whose complete input was lost", () => {
  const begun = (name: string): TranslatorHarness => {
    const translator = new TranslatorHarness();
    translator.take(started(), blockStarted({ type: "tool_use", id: "call-1", name, input: {} }), inputDelta('{"x'));
    return translator;
  };
  const kinds = (updates: readonly SessionUpdate[]): readonly string[] => updates.map((one) => one.sessionUpdate);

  it("a call whose input was lost is announced once when it continues in the background", () => {
    const translator = begun("Agent");
    assert.deepEqual(kinds(translator.take(toolResult("Launched", { tool_use_result: { isAsync: true } }))), [
      "tool_call",
    ]);
    assert.deepEqual(translator.take(inputDelta('":1,"description":"Count"}')), []);
    const done = { type: "system", subtype: "task_notification", task_id: "t", tool_use_id: "call-1" };
    assert.deepEqual(kinds(translator.take({ ...done, status: "completed" })), ["tool_call_update"]);
  });

  it("a call whose input was lost is announced when it runs in a terminal of the client", () => {
    const translator = begun("Bash");
    assert.deepEqual(kinds(translator.state.calls.embed("call-1", "term-1")), ["tool_call", "tool_call_update"]);
  });
});

describe("a call that the user allows", () => {
  it("an allowed call is in_progress if it is open and announced, and ignored otherwise", () => {
    const translator = new TranslatorHarness();
    assert.deepEqual(translator.state.calls.allowed("call-1"), [], "nobody knows it");
    translator.take(started(), blockStarted({ type: "tool_use", id: "call-1", name: "Bash", input: {} }));
    assert.deepEqual(translator.state.calls.allowed("call-1"), [], "nobody has seen it");
    translator.take(assistant([toolUse("Bash", { command: "ls" })]));
    assert.deepEqual(translator.state.calls.allowed("call-1"), [
      { sessionUpdate: "tool_call_update", toolCallId: "call-1", status: "in_progress" },
    ]);
    translator.take(result());
    assert.deepEqual(translator.state.calls.allowed("call-1"), [], "it has ended");
  });
});

describe("the description of a command", () => {
  it("the description of a command is shown when the client shows no terminals", () => {
    const input = { command: "ls", description: "List files" };
    assert.deepEqual(contentOf(opening("Bash", input)), ["List files"]);
    const translator = new TranslatorHarness();
    translator.take(started(), blockStarted({ type: "tool_use", id: "call-1", name: "Bash", input: {} }));
    translator.take(inputDelta(JSON.stringify(input)));
    const [change] = translator.take(assistant([toolUse("Bash", input)]));
    assert.deepEqual(change?.sessionUpdate === "tool_call_update" && contentOf(change), ["List files"]);
  });
});
