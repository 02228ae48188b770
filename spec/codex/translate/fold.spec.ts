/**
 * `fold` never throws, whatever Codex sends; what is shown of turns, agents and warnings.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SessionUpdate } from "../../../lib/acp/index.ts";
import { foldEnd } from "../../../lib/codex/translate/index.ts";
import {
  CodexHarness,
  command,
  completed,
  edit,
  messageTexts,
  outputDelta,
  patch,
  started,
  textDelta,
  thread,
  turnCompleted,
  turnStarted,
} from "../../support/codex/harness.ts";
import { hostileValues } from "../../support/hostile-values.ts";
import { assertLinear } from "../../support/growth.ts";

const itemTypes =
  "userMessage agentMessage reasoning plan commandExecution fileChange mcpToolCall dynamicToolCall collabAgentToolCall subAgentActivity webSearch imageView imageGeneration sleep enteredReviewMode exitedReviewMode contextCompaction newThing".split(
    " ",
  );
const methods =
  "item/started item/completed item/agentMessage/delta item/plan/delta item/commandExecution/outputDelta item/reasoning/summaryTextDelta item/reasoning/summaryPartAdded turn/started turn/completed turn/plan/updated error thread/tokenUsage/updated thread/name/updated model/rerouted warning guardianWarning configWarning mcpServer/startupStatus/updated item/autoApprovalReview/completed new/method".split(
    " ",
  );
const anything = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(...hostileJson()));
const id = fc.constantFrom("call-1", "call-2", "");
const someThread = fc.constantFrom(thread, "child-1", "other");
const change = fc.record({
  path: fc.constantFrom("/a/b.ts", "c.ts", "", "C:\\d.ts"),
  kind: fc.oneof(fc.record({ type: fc.constantFrom("add", "delete", "update", "new") }), anything),
  diff: fc.oneof(fc.string(), fc.constant("@@ -1 +1 @@\n-a\n+b\n")),
});
const item = fc.record(
  {
    type: fc.constantFrom(...itemTypes),
    id,
    text: fc.oneof(fc.string(), anything),
    command: fc.oneof(fc.string(), anything),
    status: fc.oneof(fc.constantFrom("inProgress", "completed", "failed", "declined"), anything),
    processId: anything,
    source: anything,
    commandActions: anything,
    aggregatedOutput: fc.oneof(fc.string(), anything),
    exitCode: anything,
    changes: fc.array(change, { maxLength: 3 }),
    server: fc.string(),
    tool: fc.constantFrom("spawnAgent", "wait", "closeAgent", "other"),
    arguments: anything,
    result: fc.oneof(fc.record({ content: fc.array(anything) }), anything),
    error: anything,
    contentItems: anything,
    kind: fc.constantFrom("started", "completed"),
    agentThreadId: fc.constantFrom("child-1", thread),
    receiverThreadIds: fc.constantFrom([], ["child-1"]),
    agentsStates: fc.oneof(fc.constant({ "child-1": { status: "completed", message: "m" } }), anything),
    action: anything,
    path: fc.string(),
    durationMs: anything,
    summary: anything,
    content: anything,
  },
  { requiredKeys: ["type", "id"] },
);
const message: fc.Arbitrary<object> = fc.record({
  method: fc.constantFrom(...methods),
  params: fc.record(
    {
      threadId: someThread,
      turnId: id,
      itemId: id,
      targetItemId: id,
      item,
      delta: fc.string(),
      turn: fc.record({
        id,
        rootTurnId: id,
        status: fc.constantFrom("inProgress", "completed", "failed", "interrupted"),
        items: fc.array(item, { maxLength: 2 }),
        error: anything,
      }),
      plan: anything,
      error: fc.oneof(fc.record({ message: fc.string(), codexErrorInfo: anything }), anything),
      willRetry: fc.boolean(),
      tokenUsage: fc.record({ last: fc.record({ totalTokens: anything }), modelContextWindow: anything }),
      message: fc.string(),
      summary: fc.string(),
      name: fc.string(),
      status: fc.constantFrom("failed", "ready"),
      review: fc.record({ status: fc.constantFrom("approved", "denied") }),
      toModel: fc.string(),
    },
    { requiredKeys: ["threadId", "itemId", "item", "turn"] },
  ),
});
const views = fc.record({ showsTerminals: fc.boolean(), showsNotices: fc.boolean(), showsCompaction: fc.boolean() });

describe("fold", () => {
  it("fold never throws, emits only valid updates, and keeps the order of each call's life", () => {
    fc.assert(
      fc.property(views, fc.array(message, { maxLength: 15 }), (view, messages) => {
        const codex = new CodexHarness({ ...view, textOf: () => "some\ntext" });
        const open = new Set<string>();
        const announced = new Set<string>();
        for (const update of [...codex.take(...messages), ...foldEnd(codex.state, "over")]) {
          assert.equal(SessionUpdate.read(update), update);
          if (update.sessionUpdate === "tool_call") {
            assert.ok(!announced.has(update.toolCallId), "announced twice");
            announced.add(update.toolCallId);
            open.add(update.toolCallId);
          }
          if (update.sessionUpdate !== "tool_call_update") continue;
          assert.ok(open.has(update.toolCallId), "changed while it was not open");
          if (update.status === "completed" || update.status === "failed") open.delete(update.toolCallId);
        }
        assert.deepEqual([...open], []);
      }),
      { numRuns: 300 },
    );
  });

  it("fold takes time proportional to the number of text deltas and output deltas", () => {
    assertLinear("deltas", 10_000, (count) => {
      const codex = new CodexHarness({ showsTerminals: true });
      codex.take(started(command("yes")));
      for (let i = 0; i < count; i++) codex.take(textDelta("word "), outputDelta("y\n"));
    });
  });

  it("notifications of another conversation's thread are not shown", () => {
    const codex = new CodexHarness();
    assert.deepEqual(codex.take(started(command("ls"), "other"), turnCompleted({}, "other")), []);
  });

  it("a call that its start did not announce is announced with its end", () => {
    const updates = new CodexHarness().take(completed(command("ls", { status: "completed", exitCode: 0 })));
    assert.deepEqual(
      updates.map(({ sessionUpdate }) => sessionUpdate),
      ["tool_call", "tool_call_update"],
    );
  });

  it("a patch that is open when its turn is cancelled ends as cancelled, without its diff again", () => {
    const codex = new CodexHarness();
    codex.take(turnStarted(), started(patch([edit])));
    assert.deepEqual(codex.take(turnCompleted({ status: "interrupted" })), [
      { sessionUpdate: "tool_call_update", toolCallId: "call-1", status: "failed", title: "Edit a.ts (cancelled)" },
    ]);
  });

  it("a command that runs when its turn is cancelled stays open until it ends or foldEnd closes it", () => {
    const codex = new CodexHarness();
    codex.take(turnStarted(), started(command("sleep 9")));
    assert.deepEqual(codex.take(turnCompleted({ status: "interrupted" })), []);
    assert.equal(codex.state.isRunning, true);
    const [end] = foldEnd(codex.state, "Cancelled.");
    assert.ok(end?.sessionUpdate === "tool_call_update" && end.status === "failed");
    assert.equal(codex.state.isRunning, false);
    const late = completed(command("sleep 9", { status: "failed", exitCode: -1, aggregatedOutput: "late" }));
    assert.deepEqual(codex.take(outputDelta("late"), late), []);
  });

  it("a message that only the end of the turn has is shown", () => {
    const codex = new CodexHarness();
    const item = { type: "agentMessage", id: "msg-1", text: "All done." };
    assert.deepEqual(messageTexts(codex.take(turnStarted(), turnCompleted({ items: [item] }))), {
      "msg-1": "All done.",
    });
  });

  it("a turn without an answer and without a call shows a notice", () => {
    const codex = new CodexHarness({ showsNotices: true });
    const [told] = codex.take(turnStarted(), turnCompleted());
    assert.deepEqual(told, {
      sessionUpdate: "notice",
      severity: "warning",
      title: "Codex ended the turn without an answer.",
      description: undefined,
    });
    const ended = completed(command("ls", { status: "completed", exitCode: 0 }));
    assert.equal(codex.take(turnStarted(), turnCompleted()).length, 1);
    const second = codex.take(turnStarted(), started(command("ls")), ended, turnCompleted());
    assert.ok(second.every(({ sessionUpdate }) => sessionUpdate !== "notice"));
  });

  it("a warning is shown once, and a retry once for each attempt of a turn", () => {
    const codex = new CodexHarness({ showsNotices: true });
    const warning = { method: "warning", params: { threadId: thread, message: "Watch out. It is late." } };
    assert.equal(codex.take(warning, warning).length, 1);
    const retry = (text: string): object => ({
      method: "error",
      params: { threadId: thread, willRetry: true, error: { message: text, codexErrorInfo: "other" } },
    });
    const offline = retry("Reconnecting... waiting for network");
    const notices = codex.take(
      turnStarted(),
      retry("Reconnecting... 1/5"),
      retry("Reconnecting... 2/5"),
      offline,
      offline,
    );
    assert.deepEqual(
      notices.map((one) => one.sessionUpdate === "notice" && one.title),
      [
        "The connection to the API broke, trying again (attempt 1 of 5).",
        "The connection to the API broke, trying again (attempt 2 of 5).",
        "There is no connection to the API. Codex keeps trying.",
      ],
    );
  });

  it("a refused key is not reported as a retry", () => {
    const codex = new CodexHarness({ showsNotices: true });
    const error = {
      message: "Reconnecting... 1/5",
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: 401 } },
    };
    assert.deepEqual(codex.take({ method: "error", params: { threadId: thread, willRetry: true, error } }), []);
  });

  it("usage is reported when it changes", () => {
    const codex = new CodexHarness();
    const usage = (totalTokens: number): object => ({
      method: "thread/tokenUsage/updated",
      params: { threadId: thread, tokenUsage: { last: { totalTokens }, modelContextWindow: 1000 } },
    });
    const updates = codex.take(usage(10), usage(10), usage(20));
    assert.deepEqual(
      updates.map((one) => one.sessionUpdate === "usage_update" && [one.used, one.size]),
      [
        [10, 1000],
        [20, 1000],
      ],
    );
  });
});

describe("subagents", () => {
  const activity = (kind: string, itemId: string): object => ({
    type: "subAgentActivity",
    id: itemId,
    kind,
    agentThreadId: "child-1",
    agentPath: "/root/looker",
  });

  it("an agent's calls are below its call, its text is its result, and nothing else of it is shown", () => {
    const codex = new CodexHarness();
    const [agent] = codex.take(turnStarted(), started(activity("started", "agent-1")));
    assert.ok(agent?.sessionUpdate === "tool_call" && agent.title === "Agent looker");
    assert.ok(codex.state.ownsThread("child-1"));
    const said = { type: "agentMessage", id: "msg-9", text: "I looked." };
    const [call] = codex.take(started(command("ls"), "child-1"), completed(said, "child-1"));
    assert.ok(call?.sessionUpdate === "tool_call");
    assert.deepEqual(call._meta?.["claudeCode"], { toolName: "shell", parentToolUseId: "agent-1" });
    const [end] = codex
      .take(completed(command("ls", { status: "completed", exitCode: 0 }), "child-1"), turnCompleted({}, "child-1"))
      .slice(-1);
    assert.deepEqual(end, {
      sessionUpdate: "tool_call_update",
      toolCallId: "agent-1",
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "I looked." } }],
    });
    assert.deepEqual(codex.take(started(activity("completed", "subagent-completed-1"))), []);
  });

  it("an agent that outlives the turn is announced as background work", () => {
    const codex = new CodexHarness();
    codex.take(turnStarted(), started(activity("started", "agent-1")));
    const [told] = codex.take(turnCompleted());
    assert.ok(told?.sessionUpdate === "tool_call_update" && told.title === "Agent looker (in the background)");
    const [end] = codex.take(turnCompleted({}, "child-1"));
    assert.ok(end?.sessionUpdate === "tool_call_update" && end.status === "completed");
  });

  it("the report in the answer to wait is the result of an agent whose messages did not come", () => {
    const codex = new CodexHarness();
    const spawn = { type: "collabAgentToolCall", tool: "spawnAgent", receiverThreadIds: ["child-1"], prompt: "Look" };
    const agentsStates = { "child-1": { status: "completed", message: "I looked." } };
    const wait = { type: "collabAgentToolCall", id: "call-2", tool: "wait", status: "completed", agentsStates };
    codex.take(
      turnStarted(),
      started({ ...spawn, status: "inProgress" }),
      completed({ ...spawn, status: "completed" }),
    );
    const end = codex.take(completed(wait)).find((one) => "toolCallId" in one && one.toolCallId === "call-1");
    assert.deepEqual(end, {
      sessionUpdate: "tool_call_update",
      toolCallId: "call-1",
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "I looked." } }],
    });
  });

  it("a thread whose turn has another root is not ours", () => {
    const codex = new CodexHarness();
    codex.take(turnStarted(), turnStarted({ id: "turn-2", rootTurnId: "turn-9" }, "child-1"));
    assert.equal(codex.state.ownsThread("child-1"), false);
    assert.deepEqual(codex.take(started(command("ls"), "child-1")), []);
  });

  it("a thread whose turn has our turn as its root is an agent's, before any item names it", () => {
    const codex = new CodexHarness();
    const spawn = { type: "collabAgentToolCall", tool: "spawnAgent", status: "inProgress", prompt: "Look" };
    codex.take(turnStarted(), started(spawn), turnStarted({ id: "turn-2", rootTurnId: "turn-1" }, "child-1"));
    const [call] = codex.take(started({ ...command("ls"), id: "call-2" }, "child-1"));
    assert.ok(call?.sessionUpdate === "tool_call");
    assert.deepEqual(call._meta?.["claudeCode"], { toolName: "shell", parentToolUseId: "call-1" });
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
