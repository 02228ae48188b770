/**
 * `fold` never throws, whatever the CLI sends, and its cost is linear.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SessionUpdate } from "../../../lib/acp/index.ts";
import { foldEnd } from "../../../lib/claude/translate/index.ts";
import { hostileValues } from "../../support/hostile-values.ts";
import {
  assistant,
  blockStarted,
  cwd,
  inputDelta,
  result,
  TranslatorHarness,
  started,
  textDelta,
  toolResult,
  toolUse,
} from "../../support/translate/cli-events.ts";
import { processorMs } from "../../support/growth.ts";

const toolNames = [
  ..."Read Write Edit MultiEdit NotebookEdit Bash BashOutput KillShell Monitor Glob Grep LS WebFetch WebSearch".split(
    " ",
  ),
  ..."Agent Task TodoWrite TaskCreate TaskUpdate TaskList EnterPlanMode ExitPlanMode AskUserQuestion Skill".split(" "),
  ..."ToolSearch CronCreate ScheduleWakeup ReportFindings SendMessage EnterWorktree delete move mcp__a__b New".split(
    " ",
  ),
];
const fields = [
  ..."file_path notebook_path path command pattern url query todos questions plan findings edits content".split(" "),
  ..."old_string new_string offset limit description prompt subject taskId status cell_id edit_mode line file".split(
    " ",
  ),
];

const hostile = fc.constantFrom(...hostileJson());
const anything = fc.oneof(fc.jsonValue({ maxDepth: 3 }), hostile);
const input = fc.oneof(fc.dictionary(fc.constantFrom(...fields), anything), anything);
const id = fc.constantFrom("call-1", "call-2", "");
const index = fc.nat({ max: 2 });
const subtypes = [
  ..."init status compact_boundary task_started task_notification api_retry model_fallback informational".split(" "),
  ..."notification local_command_output session_title_changed permission_denied unknown".split(" "),
];

const block = fc.oneof(
  fc.record({
    type: fc.constantFrom("text", "thinking", "image", "new"),
    text: anything,
    thinking: anything,
    source: anything,
  }),
  fc.record({ type: fc.constant("tool_use"), id, name: fc.constantFrom(...toolNames), input }),
  fc.record({ type: fc.constant("tool_result"), tool_use_id: id, content: anything, is_error: anything }),
);
const delta = fc.oneof(
  fc.record({ type: fc.constant("text_delta"), text: fc.string() }),
  fc.record({ type: fc.constant("input_json_delta"), partial_json: fc.string() }),
  anything,
);
const streamed = fc.oneof(
  fc.record({ type: fc.constant("message_start"), message: fc.record({ id, model: anything, usage: anything }) }),
  fc.record({ type: fc.constant("content_block_start"), index, content_block: block }),
  fc.record({ type: fc.constant("content_block_delta"), index, delta }),
  fc.record({
    type: fc.constantFrom("message_delta", "message_stop", "ping", "error"),
    usage: anything,
    delta: anything,
  }),
);
const structured = fc.oneof(
  fc.record(
    {
      structuredPatch: fc.array(fc.record({ newStart: anything, lines: fc.array(fc.string()) })),
      file: anything,
      answers: anything,
    },
    { requiredKeys: [] },
  ),
  fc.record(
    {
      isAsync: fc.constant(true),
      content: anything,
      task: anything,
      tasks: anything,
      stdout: anything,
      old_source: anything,
    },
    { requiredKeys: [] },
  ),
  anything,
);
const line: fc.Arbitrary<object> = fc.oneof(
  fc.record({ type: fc.constant("stream_event"), event: streamed, abandoned_blocks: anything }),
  fc.record({
    type: fc.constant("assistant"),
    message: fc.record({ id, content: fc.array(block) }),
    parent_tool_use_id: fc.option(id),
    error: anything,
  }),
  fc.record({
    type: fc.constant("user"),
    message: fc.record({ content: fc.oneof(fc.array(block), anything) }),
    tool_use_result: structured,
    tool_result_meta: anything,
  }),
  fc.record({
    type: fc.constant("result"),
    subtype: anything,
    is_error: anything,
    terminal_reason: anything,
    result: anything,
    errors: anything,
    modelUsage: anything,
    total_cost_usd: anything,
  }),
  fc.record({
    type: fc.constant("system"),
    subtype: fc.constantFrom(...subtypes),
    content: anything,
    text: anything,
    status: anything,
    task_id: id,
    tool_use_id: id,
    compact_metadata: anything,
  }),
  fc.record({
    type: fc.constantFrom("conversation_reset", "rate_limit_event", "tool_progress", "new_type"),
    uuid: anything,
  }),
);

describe("fold", () => {
  it("fold never throws and emits only valid updates", () => {
    const views = fc.record({
      showsTerminals: fc.boolean(),
      showsNotices: fc.boolean(),
      showsCompaction: fc.boolean(),
    });
    fc.assert(
      fc.property(views, fc.array(line, { maxLength: 12 }), (view, lines) => {
        const translator = new TranslatorHarness({ ...view, textOf: () => "some\ntext" });
        const updates = [...translator.take(...lines), ...foldEnd(translator.state, "over")];
        for (const update of updates) assert.equal(SessionUpdate.read(update), update);
      }),
      { numRuns: 250 },
    );
  });

  it("foldEnd leaves no call open, whatever came before", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const translator = new TranslatorHarness();
        const open = new Set<string>();
        for (const update of [...translator.take(...lines), ...foldEnd(translator.state, "over")]) {
          if (update.sessionUpdate === "tool_call") open.add(update.toolCallId);
          if (update.sessionUpdate !== "tool_call_update") continue;
          assert.ok(open.has(update.toolCallId), "changed before it was announced");
          if (update.status === "completed" || update.status === "failed") open.delete(update.toolCallId);
        }
        assert.deepEqual([...open], []);
      }),
      { numRuns: 120 },
    );
  });

  it("fold takes time proportional to the number of text deltas", () => {
    const cost = (deltas: number): number => {
      const translator = new TranslatorHarness();
      translator.take(started());
      const one = textDelta("word ");
      // CPU time, so that other processes on the machine do not matter.
      const begun = process.cpuUsage();
      for (let i = 0; i < deltas; i++) translator.take(one);
      return process.cpuUsage(begun).user / 1000;
    };
    const least = (deltas: number): number => Math.min(...Array.from({ length: 5 }, () => cost(deltas)));
    cost(20_000);
    const few = least(5000);
    const many = least(20_000);
    // Four times the deltas; a quadratic fold would take sixteen times as long.
    assert.ok(many < few * 13, `${many.toFixed(1)} ms against ${few.toFixed(1)} ms`);
  });

  it("fold scans a long tool input once while it is written", () => {
    const translator = new TranslatorHarness();
    translator.take(started(), blockStarted({ type: "tool_use", id: "call-1", name: "Write", input: {} }));
    const updates = translator.take(inputDelta(`{"file_path":"${cwd}/a","content":"`));
    const begun = processorMs();
    for (let i = 0; i < 20_000; i++) updates.concat(translator.take(inputDelta("0123456789".repeat(10))));
    assert.equal(updates.length, 1);
    assert.ok(processorMs() - begun < 2000);
  });

  it("fold keeps nothing of a call that has ended", () => {
    const translator = new TranslatorHarness();
    for (let i = 0; i < 1000; i++) {
      translator.take(assistant([toolUse("Read", {}, `call-${i}`)]), toolResult("x", {}, `call-${i}`));
    }
    assert.deepEqual(translator.take(result()), []);
  });
});

/** The hostile values that JSON can hold and that are fast to print. */
function hostileJson(): readonly unknown[] {
  const isSmall = (name: string): boolean => !/levels|1 MiB|100,000|10,000/.test(name);
  return [...hostileValues].flatMap(([name, value]) => {
    const json = isSmall(name) && typeof value !== "bigint" ? JSON.stringify(value) : undefined;
    return json === undefined ? [] : [JSON.parse(json) as unknown];
  });
}
