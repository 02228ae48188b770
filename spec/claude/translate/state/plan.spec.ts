/**
 * The plan is emitted whole each time it changes.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionUpdate } from "../../../../lib/acp/index.ts";
import { assistant, TranslatorHarness, toolResult, toolUse } from "../../../support/translate/cli-events.ts";

function plans(updates: readonly SessionUpdate[]): readonly (readonly string[])[] {
  return updates.flatMap((one) =>
    one.sessionUpdate === "plan"
      ? [one.entries.map(({ content, status, priority }) => `${content}: ${status}, ${priority}`)]
      : [],
  );
}

function run(
  translator: TranslatorHarness,
  name: string,
  input: object,
  structured: unknown,
  isError = false,
): readonly SessionUpdate[] {
  return [
    ...translator.take(assistant([toolUse(name, input)])),
    ...translator.take(toolResult("ok", { tool_use_result: structured }, "call-1", isError)),
  ];
}

describe("TodoWrite", () => {
  const todos = [
    { content: "One", status: "completed", activeForm: "Doing one" },
    { content: "Two", status: "in_progress", activeForm: "Doing two" },
    { content: "Three", status: "someday" },
    { status: "pending" },
    null,
  ];

  it("TodoWrite emits the whole plan once", () => {
    assert.deepEqual(plans(run(new TranslatorHarness(), "TodoWrite", { todos }, { oldTodos: [], newTodos: todos })), [
      ["One: completed, medium", "Two: in_progress, medium", "Three: pending, medium"],
    ]);
  });

  it("TodoWrite is recognised by its old name too", () => {
    assert.equal(plans(run(new TranslatorHarness(), "todowrite", { todos }, {})).length, 1);
  });

  it("TodoWrite of a subagent does not change the plan of the session", () => {
    assert.deepEqual(
      plans(
        new TranslatorHarness().take(assistant([toolUse("TodoWrite", { todos })], { parent_tool_use_id: "agent-1" })),
      ),
      [],
    );
  });

  it("TodoWrite without a list emits no plan", () => {
    assert.deepEqual(plans(run(new TranslatorHarness(), "TodoWrite", { todos: "all of it" }, {})), []);
  });

  it("the plan is emptied when the conversation is cleared", () => {
    const translator = new TranslatorHarness();
    run(translator, "TodoWrite", { todos }, {});
    assert.deepEqual(plans(translator.take({ type: "conversation_reset" })), [[]]);
    assert.deepEqual(plans(translator.take({ type: "conversation_reset" })), []);
  });
});

describe("the Task tools", () => {
  const translator = new TranslatorHarness();

  it("TaskCreate adds a step to the plan", () => {
    run(translator, "TaskCreate", { subject: "One" }, { task: { id: "1", subject: "One" } });
    assert.deepEqual(plans(run(translator, "TaskCreate", { subject: "Two" }, { task: { id: "2", subject: "Two" } })), [
      ["One: pending, medium", "Two: pending, medium"],
    ]);
  });

  it("TaskUpdate changes the status and text of a step", () => {
    assert.deepEqual(
      plans(run(translator, "TaskUpdate", { taskId: "1", status: "completed", subject: "First" }, { success: true })),
      [["First: completed, medium", "Two: pending, medium"]],
    );
  });

  it("a Task tool that fails or names an unknown step does not change the plan", () => {
    assert.deepEqual(
      plans(run(translator, "TaskUpdate", { taskId: "2", status: "completed" }, { success: false })),
      [],
    );
    assert.deepEqual(plans(run(translator, "TaskUpdate", { taskId: "9", status: "completed" }, { success: true })), []);
    assert.deepEqual(plans(run(translator, "TaskCreate", { subject: "No" }, "Error: no", true)), []);
  });

  it("TaskUpdate with the status deleted removes the step", () => {
    assert.deepEqual(plans(run(translator, "TaskUpdate", { taskId: "1", status: "deleted" }, { success: true })), [
      ["Two: pending, medium"],
    ]);
  });

  it("TaskList replaces the plan by its list", () => {
    const tasks = [
      { id: 7, subject: "Seven", status: "in_progress" },
      { id: {}, status: "pending" },
    ];
    assert.deepEqual(plans(run(translator, "TaskList", {}, { tasks })), [["Seven: in_progress, medium"]]);
  });
});
