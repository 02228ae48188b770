/**
 * Auto-continue, with an engine whose turns leave work on the plan.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type PlanEntry, update } from "../../../lib/acp/index.ts";
import type { AgentContext } from "../../../lib/agent/agent-context.ts";
import { maxContinuations } from "../../../lib/agent/session/auto-continue.ts";
import { EngineFailure } from "../../../lib/engine/index.ts";
import { AnsweringEngine } from "../../support/agent/answering-engine.ts";
import { type ConnectedAgent } from "../../support/agent/connected-agent.ts";
import type { ScriptedConversation } from "../../support/agent/scripted-engine.ts";
import { scriptedHarness } from "../../support/agent/scripted-harness.ts";

const entry = (content: string, status: PlanEntry["status"]): PlanEntry => ({ content, status, priority: "medium" });

/** One step of work: a tool call, a plan with `left` open entries, and a last sentence. */
function work(conversation: ScriptedConversation, left: number, lastWords = "Done for now."): void {
  conversation.update(update.toolCall({ toolCallId: crypto.randomUUID(), title: "Run make" }));
  conversation.update(update.plan([entry("first", "completed"), ...Array(left).fill(entry("the rest", "pending"))]));
  conversation.say(lastWords);
}

interface Opened extends ConnectedAgent {
  readonly engine: AnsweringEngine;
  readonly sessionId: string;
  readonly turns: () => number;
}

async function opened(isOn = true, openTasks?: AgentContext["openTasks"]): Promise<Opened> {
  const engine = new AnsweringEngine();
  const harness = await scriptedHarness({ engine, settings: { autoContinue: isOn }, ...(openTasks && { openTasks }) });
  const { sessionId } = await harness.editor.call("session/new", { cwd: "/", mcpServers: [] });
  return { ...harness, engine, sessionId, turns: () => engine.opened[0]?.prompts.length ?? 0 };
}

describe("auto-continue", () => {
  it("a turn with work left on its plan is continued, with a user message that says so, until nothing is left", async () => {
    const { engine, prompt, sessionId, turns, updates } = await opened();
    let left = 2;
    engine.onPrompt = (conversation) => {
      work(conversation, left--);
      conversation.end();
    };
    assert.deepEqual(await prompt(sessionId, "go"), { stopReason: "end_turn" });
    assert.equal(turns(), 3);
    const said = updates.filter((one) => one.sessionUpdate === "user_message_chunk");
    assert.equal(said.length, 2);
    assert.match(JSON.stringify(said[0]), /Continue with the plan: the rest \(auto-continue 1 of 10/);
  });

  it("the words of the model's plan are given to the engine as text that the user did not write", async () => {
    const { engine, prompt, sessionId } = await opened();
    let left = 1;
    engine.onPrompt = (conversation) => {
      work(conversation, left--);
      conversation.end();
    };
    await prompt(sessionId, "go");
    const [own, continued] = engine.opened[0]?.prompts ?? [];
    assert.equal(own?.preface, undefined);
    assert.deepEqual(continued?.preface, ["Continue with the plan: the rest\n"]);
    assert.deepEqual(continued?.content, [{ type: "text", text: "(auto-continue 1 of 10; /nudge off stops it)" }]);
  });

  it("a plan for a cleared conversation is given to the engine as text that the user did not write", async () => {
    const { engine, prompt, sessionId } = await opened(false);
    const next = { prompt: "Implement the following plan:\n\nRead @~/secret", mode: "default" };
    engine.onPrompt = (conversation) => {
      const isFirst = conversation.prompts.length === 1;
      conversation.end({ kind: "stopped", stopReason: "end_turn", ...(isFirst && { next }) });
    };
    await prompt(sessionId, "go");
    const sent = engine.opened[0]?.prompts.at(-1);
    assert.deepEqual(sent?.preface, [`${next.prompt}\n`]);
    assert.doesNotMatch(JSON.stringify(sent?.content), /secret/);
  });

  it("a plan is not continued unless the user has turned auto-continue on, by option, by variable or by /nudge on", async () => {
    const { engine, editor, prompt, sessionId, turns } = await opened(false);
    let left = 1;
    engine.onPrompt = (conversation) => {
      work(conversation, left--);
      conversation.end();
    };
    await prompt(sessionId, "go");
    assert.equal(turns(), 1);
    left = 1;
    await prompt(sessionId, "/nudge on");
    assert.equal(turns(), 1, "the command does not reach the engine");
    await prompt(sessionId, "go");
    assert.equal(turns(), 3);
    const value = { sessionId, configId: "auto_continue", value: "false" };
    await editor.call("session/set_config_option", value);
    left = 1;
    await prompt(sessionId, "go");
    assert.equal(turns(), 4);
  });

  it("work that never ends is continued a limited number of times", async () => {
    const { engine, prompt, sessionId, turns } = await opened();
    engine.onPrompt = (conversation) => {
      work(conversation, 1);
      conversation.end();
    };
    await prompt(sessionId, "go");
    assert.equal(turns(), 1 + maxContinuations);
  });

  for (const [what, run] of [
    ["a question of the model", (one: ScriptedConversation) => (work(one, 1, "Shall I go on?"), one.end())],
    [
      "a goal that the engine pursued by itself",
      (one: ScriptedConversation) => (work(one, 1), one.end({ kind: "stopped", stopReason: "end_turn", isGoal: true })),
    ],
    ["a turn without work", (one: ScriptedConversation) => (one.say("I see."), one.end())],
    [
      "a turn that stopped early",
      (one: ScriptedConversation) => (work(one, 1), one.end({ kind: "stopped", stopReason: "max_tokens" })),
    ],
  ] as const) {
    it(`a plan is not continued after ${what}`, async () => {
      const { engine, prompt, sessionId, turns } = await opened();
      engine.onPrompt = (conversation) => {
        conversation.update(update.plan([entry("the rest", "pending")]));
        run(conversation);
      };
      await prompt(sessionId, "go");
      assert.equal(turns(), 1);
    });
  }

  it("a plan that the user has rejected is not continued, until the next prompt", async () => {
    const { engine, prompt, sessionId, turns } = await opened();
    const toolCall = { toolCallId: "plan", title: "Go on with this plan?", kind: "switch_mode" } as const;
    const choices = [
      { option: { kind: "allow_once", optionId: "yes", name: "Yes" }, decision: true },
      { option: { kind: "reject_once", optionId: "no", name: "No" }, decision: false },
    ] as const;
    let left = 1;
    engine.onPrompt = async ({ host, prompts: { length } }) => {
      const conversation = engine.opened[0] ?? assert.fail("no conversation");
      const question = { toolCall, choices, rejected: false, unanswered: false };
      if (length === 1) await host.ask(question, new AbortController().signal);
      work(conversation, left--);
      conversation.end();
    };
    await prompt(sessionId, "go");
    assert.equal(turns(), 1);
    left = 1;
    await prompt(sessionId, "go on");
    assert.equal(turns(), 3);
  });

  it("a failure of a continued turn is reported, and ends the work", async () => {
    const { engine, prompt, sessionId, turns } = await opened();
    engine.onPrompt = (conversation) => {
      work(conversation, 1);
      if (turns() === 1) conversation.end();
      else conversation.end({ kind: "failed", failure: new EngineFailure("limit", "Usage limit reached") });
    };
    await assert.rejects(prompt(sessionId, "go"), { message: /Usage limit reached/ });
    assert.equal(turns(), 2);
  });

  it("with /nudge fresh the conversation is cleared before each entry", async () => {
    const { engine, prompt, sessionId } = await opened(false);
    await prompt(sessionId, "/nudge fresh");
    let left = 1;
    engine.onPrompt = (conversation) => {
      if (!JSON.stringify(conversation.prompts.at(-1)).includes("/clear")) work(conversation, left--);
      conversation.end();
    };
    await prompt(sessionId, "go");
    const sent = engine.opened[0]?.prompts.map(({ preface = [], content }) =>
      [...preface, content[0]?.type === "text" ? content[0].text : ""].join(""),
    );
    assert.equal(sent?.length, 3);
    assert.deepEqual(sent?.slice(0, 2), ["go", "/clear"]);
    assert.match(sent?.[2] ?? "", /^Continue with the plan: the rest/);
  });

  it("an open task of the user's task list is continued when the plan has nothing left", async () => {
    const tasks = ["Write the docs", "Ship it"];
    const { engine, prompt, sessionId, updates } = await opened(true, async () => tasks.splice(0, 1));
    engine.onPrompt = (conversation) => {
      work(conversation, 0);
      conversation.end();
    };
    await prompt(sessionId, "go");
    assert.deepEqual(
      engine.opened[0]?.prompts.slice(1).map(({ preface = [] }) => /task: ([\w ]+)$/m.exec(preface[0] ?? "")?.[1]),
      ["Write the docs", "Ship it"],
    );
    assert.equal(updates.filter((one) => one.sessionUpdate === "user_message_chunk").length, 2);
  });

  it("a cancel while the task list is read ends the work", async () => {
    let tell: (tasks: readonly string[]) => void = () => {};
    const tasks = new Promise<readonly string[]>((resolve) => (tell = resolve));
    const { engine, editor, prompt, sessionId, turns } = await opened(true, () => tasks);
    engine.onPrompt = (conversation) => {
      work(conversation, 0);
      conversation.end();
    };
    const answer = prompt(sessionId, "go");
    await new Promise(setImmediate);
    await editor.notify("session/cancel", { sessionId });
    await new Promise(setImmediate);
    tell(["Ship it"]);
    assert.deepEqual(await answer, { stopReason: "cancelled" });
    assert.equal(turns(), 1);
  });

  it("a cancel ends the continued work", async () => {
    const { engine, editor, prompt, sessionId, turns } = await opened();
    engine.onPrompt = (conversation) => {
      work(conversation, 1);
      if (turns() === 1) return conversation.end();
      void editor.notify("session/cancel", { sessionId });
      setImmediate(() => conversation.end({ kind: "stopped", stopReason: "cancelled" }));
    };
    assert.deepEqual(await prompt(sessionId, "go"), { stopReason: "cancelled" });
    assert.equal(turns(), 2);
  });

  it("another prompt of the user ends the continued work", async () => {
    const { engine, prompt, sessionId, turns } = await opened();
    let second: Promise<unknown> | undefined;
    engine.onPrompt = (conversation) => {
      work(conversation, second === undefined ? 1 : 0);
      second ??= prompt(sessionId, "something else");
      setImmediate(() => setImmediate(() => conversation.end()));
    };
    await prompt(sessionId, "go");
    await second;
    assert.equal(turns(), 2);
  });
});
