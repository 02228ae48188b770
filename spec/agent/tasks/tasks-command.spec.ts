/**
 * `/tasks` and `_session/tasks` on the scripted engine: what the user reads and is asked, and
 * which task is stopped. spec/claude/engine/background-tasks.spec.ts has the Claude CLI's tasks.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequestPermissionRequest, RequestPermissionResponse } from "../../../lib/acp/index.ts";
import type { BackgroundTask } from "../../../lib/engine/index.ts";
import { messageText } from "../../support/agent/connected-agent.ts";
import type { ScriptedConversation } from "../../support/agent/scripted-engine.ts";
import {
  scriptedHarness,
  type ScriptedHarness,
  type ScriptedHarnessOptions,
} from "../../support/agent/scripted-harness.ts";

const command: BackgroundTask = {
  id: "b1",
  kind: "command",
  title: "npm run dev",
  ageMs: 65_000,
  toolCallId: "toolu_b",
  lastOutput: "one\ntwo\nlistening",
};
const subagent: BackgroundTask = {
  id: "a1",
  kind: "subagent",
  title: "Find the tests",
  lastOutput: "I look in spec/.",
};

interface Busy extends ScriptedHarness {
  readonly sessionId: string;
  readonly conversation: ScriptedConversation;
  /** The ids of the tasks that were stopped. */
  readonly stopped: string[];
}

/** A session in whose background these tasks run. */
async function busy(
  options: ScriptedHarnessOptions = {},
  tasks: readonly BackgroundTask[] = [command, subagent],
): Promise<Busy> {
  const harness = await scriptedHarness(options);
  const { sessionId, conversation } = await harness.open();
  const stopped: string[] = [];
  conversation.controls = { tasks: { list: async () => tasks, stop: async (id) => void stopped.push(id) } };
  return { ...harness, sessionId, conversation, stopped };
}

function choosing(text: string): (request: RequestPermissionRequest) => RequestPermissionResponse {
  return ({ options }) => ({
    outcome: { outcome: "selected", optionId: options.find(({ name }) => name.includes(text))?.optionId ?? "cancel" },
  });
}

describe("/tasks", () => {
  it("/tasks lists the tasks with their age and last output, and stops the one that is chosen", async () => {
    const { prompt, sessionId, updates, asked, stopped } = await busy({ permit: choosing("npm run dev") });
    assert.deepEqual(await prompt(sessionId, "/tasks"), { stopReason: "end_turn" });
    const text = messageText(updates);
    assert.match(text, /2 tasks run in the background\./);
    assert.match(text, /\*\*1\. Command, for 1 min\*\*: npm run dev\n\n```\none\ntwo\nlistening\n```/);
    assert.match(text, /\*\*2\. Subagent\*\*: Find the tests\n\n```\nI look in spec\/\.\n```/);
    assert.match(text, /Stopped: npm run dev\./);
    assert.deepEqual(
      asked[0]?.options.map(({ name }) => name),
      ["Stop npm run dev", "Stop Find the tests", "Stop all", "Cancel"],
    );
    assert.deepEqual(stopped, ["b1"]);
  });

  it("a client with forms chooses in a form", async () => {
    const { prompt, sessionId, asked, stopped } = await busy({
      elicitation: { form: {} },
      elicit: () => ({ action: "accept", content: { choice: "2" } }),
    });
    await prompt(sessionId, "/tasks");
    assert.equal(asked.length, 0);
    assert.deepEqual(stopped, ["a1"]);
  });

  it("a task can be named by its number, and nothing is stopped by a wrong one", async () => {
    const { prompt, sessionId, updates, stopped } = await busy();
    for (const argument of ["stop 3", "stop x", "kill 1"]) await prompt(sessionId, `/tasks ${argument}`);
    assert.deepEqual(stopped, []);
    assert.match(messageText(updates), /takes a number from 1 to 2.*takes a number from 1 to 2.*Use `\/tasks`/s);
    await prompt(sessionId, "/tasks stop 2");
    await prompt(sessionId, "/tasks stop all");
    assert.deepEqual(stopped, ["a1", "b1", "a1"]);
  });

  it("/tasks works while a turn runs, and a cancel withdraws its question", async () => {
    const { prompt, sessionId, conversation, editor, asked, stopped } = await busy({
      permit: () => new Promise(() => {}),
    });
    const turn = prompt(sessionId, "work");
    await conversation.hear("submit");
    const answered = prompt(sessionId, "/tasks");
    while (asked.length === 0) await new Promise(setImmediate);
    editor.cancel(sessionId);
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    conversation.end();
    await turn;
    assert.deepEqual(stopped, []);
  });

  it("/tasks says so when nothing runs", async () => {
    const { prompt, sessionId, updates, asked } = await busy({}, []);
    await prompt(sessionId, "/tasks");
    assert.match(messageText(updates), /Nothing runs in the background\./);
    assert.equal(asked.length, 0);
  });
});

describe("_session/tasks", () => {
  it("_session/tasks lists the tasks, and _session/tasks/stop stops one", async () => {
    const { editor, sessionId, stopped } = await busy();
    assert.deepEqual(await editor.callExtension("_session/tasks", { sessionId }), { tasks: [command, subagent] });
    const stop = (params: object): Promise<unknown> => editor.callExtension("_session/tasks/stop", params);
    assert.deepEqual(await stop({ sessionId, taskId: "b1" }), {});
    await assert.rejects(stop({ sessionId }), { code: -32602 });
    await assert.rejects(stop({ sessionId: "none", taskId: "b1" }), { code: -32002 });
    assert.deepEqual(stopped, ["b1"]);
  });

  it("_session/tasks is refused when the engine cannot list background tasks", async () => {
    const { open, editor } = await scriptedHarness();
    const { sessionId } = await open();
    await assert.rejects(editor.callExtension("_session/tasks", { sessionId }), { code: -32601 });
  });
});
