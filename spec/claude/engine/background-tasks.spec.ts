/**
 * The tasks that the Claude CLI runs in the background, as `/tasks` and `_session/tasks` show
 * them. spec/agent/tasks has the same for any engine.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequestPermissionRequest } from "../../../lib/acp/index.ts";
import { type AgentHarness, agentHarness } from "../../support/claude/agent-harness.ts";
import { messageText } from "../../support/agent/connected-agent.ts";
import type { FakeCli, Frame } from "../../support/claude/fake-cli.ts";

const shell = { task_id: "b1", task_type: "local_bash", description: "npm run dev" };
const agent = { task_id: "a1", task_type: "local_agent", description: "Find the tests" };

const started = (task: object, tool_use_id: string): Frame => ({
  type: "system",
  subtype: "task_started",
  ...task,
  tool_use_id,
});
const running = (...tasks: readonly object[]): Frame => ({
  type: "system",
  subtype: "background_tasks_changed",
  tasks,
});

/** A session in whose background a command and a subagent run. */
async function busy(
  options: Parameters<typeof agentHarness>[0] = {},
): Promise<AgentHarness & { readonly sessionId: string; readonly fakeCli: FakeCli }> {
  const harness = await agentHarness(options);
  const { sessionId, fakeCli } = await harness.open();
  const call = { type: "tool_use", id: "toolu_a", name: "Agent", input: { description: "Find the tests" } };
  fakeCli.say(
    { type: "assistant", message: { id: "m1", role: "assistant", content: [call] } },
    started(shell, "toolu_b"),
    started(agent, "toolu_a"),
    running(shell, agent),
    {
      type: "assistant",
      parent_tool_use_id: "toolu_a",
      message: { id: "m2", role: "assistant", content: [{ type: "text", text: "I look in spec/." }] },
    },
  );
  await new Promise(setImmediate);
  return { ...harness, sessionId, fakeCli };
}

async function answerOutput(fakeCli: FakeCli): Promise<void> {
  fakeCli.answer(await fakeCli.hear("get_task_output"), { output: "one\ntwo\nlistening\n", total_bytes: 18 });
}

function choosing(text: string): (request: RequestPermissionRequest) => {
  readonly outcome: { readonly outcome: "selected"; readonly optionId: string };
} {
  return ({ options }) => ({
    outcome: { outcome: "selected", optionId: options.find(({ name }) => name.includes(text))?.optionId ?? "cancel" },
  });
}

describe("/tasks", () => {
  it("/tasks lists commands and subagents with their age and last output, and stops the one that is chosen", async () => {
    const { prompt, sessionId, fakeCli, updates, asked } = await busy({ permit: choosing("npm run dev") });
    const answered = prompt(sessionId, "/tasks");
    await answerOutput(fakeCli);
    const { request, request_id } = await fakeCli.hear("stop_task");
    assert.equal(request.task_id, "b1");
    fakeCli.answer({ request_id }, {});
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    const text = messageText(updates);
    assert.match(text, /2 tasks run in the background\./);
    assert.match(text, /\*\*1\. Command, for \d+ s\*\*: npm run dev\n\n```\none\ntwo\nlistening\n```/);
    assert.match(text, /\*\*2\. Subagent, for \d+ s\*\*: Find the tests\n\n```\nI look in spec\/\.\n```/);
    assert.match(text, /Stopped: npm run dev\./);
    assert.deepEqual(
      asked[0]?.options.map(({ name }) => name),
      ["Stop npm run dev", "Stop Find the tests", "Stop all", "Cancel"],
    );
  });

  it("a task that has ended is not listed, and a CLI that died has none", async () => {
    const { prompt, sessionId, fakeCli, updates } = await busy();
    fakeCli.say({ type: "system", subtype: "task_notification", ...agent, status: "completed" }, running());
    await new Promise(setImmediate);
    await prompt(sessionId, "/tasks");
    assert.match(messageText(updates), /Nothing runs in the background\./);
  });
});

describe("_session/tasks", () => {
  it("_session/tasks lists the tasks with the tool call that started each, and _session/tasks/stop stops one", async () => {
    const { editor, sessionId, fakeCli } = await busy();
    const listing = editor.callExtension("_session/tasks", { sessionId });
    await answerOutput(fakeCli);
    const { tasks } = (await listing) as { readonly tasks: readonly Frame[] }; // the assertion checks the shape
    assert.deepEqual(
      tasks.map(({ ageMs, ...one }) => [typeof ageMs, one]),
      [
        [
          "number",
          { id: "b1", kind: "command", title: "npm run dev", toolCallId: "toolu_b", lastOutput: "one\ntwo\nlistening" },
        ],
        [
          "number",
          {
            id: "a1",
            kind: "subagent",
            title: "Find the tests",
            toolCallId: "toolu_a",
            lastOutput: "I look in spec/.",
          },
        ],
      ],
    );
    const stopping = editor.callExtension("_session/tasks/stop", { sessionId, taskId: "b1" });
    fakeCli.answer(await fakeCli.hear("stop_task"), {});
    assert.deepEqual(await stopping, {});
    const stop = (params: object): Promise<unknown> => editor.callExtension("_session/tasks/stop", params);
    await assert.rejects(stop({ sessionId, taskId: "gone" }), { code: -32602 });
    await assert.rejects(stop({ sessionId }), { code: -32602 });
  });
});
