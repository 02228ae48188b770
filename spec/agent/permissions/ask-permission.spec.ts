/**
 * Permission requests: each answer that a client can give, and the decision that the
 * engine gets. spec/claude/engine/permission-requests.spec.ts has the response to the CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { permissionOption, type RequestPermissionResponse, update } from "../../../lib/acp/index.ts";
import { createAgent } from "../../../lib/agent/index.ts";
import { cancelGraceMs } from "../../../lib/agent/session/session.ts";
import type { PermissionQuestion } from "../../../lib/engine/index.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { textAt } from "../../support/json.ts";
import { RawClient } from "../../support/acp/raw-client.ts";
import { ScriptedEngine } from "../../support/agent/scripted-engine.ts";
import {
  type ScriptedHarness,
  scriptedHarness,
  type ScriptedHarnessOptions,
} from "../../support/agent/scripted-harness.ts";

const tick = (): Promise<void> => new Promise(setImmediate);
const selected = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: "selected", optionId } });
const never = new AbortController().signal;

type Decision = "allowed" | "allowed for the session" | "denied" | "rejected" | "unanswered";

const curl: PermissionQuestion<Decision> = {
  toolCall: { toolCallId: "call-1", title: "curl x" },
  choices: [
    { option: permissionOption("allow_once", "allow", "Allow"), decision: "allowed" },
    { option: permissionOption("allow_always", "allow_always", "Always"), decision: "allowed for the session" },
    { option: permissionOption("reject_once", "reject", "Reject"), decision: "denied" },
  ],
  rejected: "rejected",
  unanswered: "unanswered",
};

/** Opens a session with a running turn. */
async function running(options: ScriptedHarnessOptions) {
  const harness = await scriptedHarness(options);
  const { sessionId, conversation } = await harness.open();
  const answered = harness.prompt(sessionId, "hi");
  answered.catch(() => {});
  await conversation.hear("submit");
  conversation.take();
  return { ...harness, sessionId, conversation, answered };
}

describe("askPermission", () => {
  const decisions: readonly (readonly [string, ScriptedHarnessOptions["permit"], Decision])[] = [
    ["allowed once", () => selected("allow"), "allowed"],
    ["allowed always", () => selected("allow_always"), "allowed for the session"],
    ["rejected", () => selected("reject"), "denied"],
    ["dismissed", () => ({ outcome: { outcome: "cancelled" } }), "unanswered"],
    ["answered with an option that was not offered", () => selected("allow_everything"), "rejected"],
    ["answered with an option named like an object property", () => selected("__proto__"), "rejected"],
    ["answered with an error", () => Promise.reject(new Error("a bug")), "unanswered"],
    // @ts-expect-error an outcome the protocol does not know
    ["answered with an unknown outcome", () => ({ outcome: { outcome: "maybe" } }), "unanswered"],
  ];
  for (const [how, permit, expected] of decisions) {
    it(`a permission request that is ${how} gives the decision "${expected}"`, async () => {
      const { conversation, asked, sessionId } = await running({ permit });
      assert.equal(await conversation.host.ask(curl, never), expected);
      assert.deepEqual(asked, [{ sessionId, toolCall: curl.toolCall, options: curl.choices.map((one) => one.option) }]);
    });
  }

  it("a permission request of a client that has closed the connection is unanswered", async () => {
    const { conversation, editor } = await running({ permit: () => new Promise(() => {}) });
    const decision = conversation.host.ask(curl, never);
    await tick();
    editor.close("bye");
    assert.equal(await decision, "unanswered");
    assert.equal(await conversation.host.ask(curl, never), "unanswered");
  });

  it("a permission request that the engine withdraws is withdrawn from the client, and a late answer is ignored", async () => {
    let answerLate: (response: RequestPermissionResponse) => void = () => {};
    const { conversation, asked, bugs } = await running({
      permit: () => new Promise((resolve) => (answerLate = resolve)),
    });
    const withdrawn = new AbortController();
    const decision = conversation.host.ask(curl, withdrawn.signal);
    await tick();
    assert.equal(asked.length, 1);
    withdrawn.abort();
    assert.equal(await decision, "unanswered");
    answerLate(selected("allow"));
    await tick();
    assert.deepEqual(bugs, []);
  });

  it("the updates before a permission request reach the client first", async () => {
    const seen: string[] = [];
    const { conversation } = await running({
      onUpdate: (_, one) => seen.push(one.sessionUpdate),
      permit: () => (seen.push("asked"), selected("allow")),
    });
    // The second chunk waits in the coalescer, and the fake clock is not advanced.
    conversation.say("one", "two");
    await conversation.host.ask(curl, never);
    assert.deepEqual(seen, ["agent_message_chunk", "agent_message_chunk", "asked"]);
  });

  it("two permission requests do not wait for each other", async () => {
    const answers: ((response: RequestPermissionResponse) => void)[] = [];
    const { conversation } = await running({ permit: () => new Promise((resolve) => void answers.push(resolve)) });
    const [first, second] = [conversation.host.ask(curl, never), conversation.host.ask(curl, never)];
    await tick();
    answers[1]?.(selected("allow"));
    assert.equal(await second, "allowed");
    answers[0]?.(selected("reject"));
    assert.equal(await first, "denied");
  });
});

describe("a permission request without an answer", () => {
  for (const [how, giveUp] of [
    ["is cancelled", (harness: ScriptedHarness, sessionId: string) => harness.editor.cancel(sessionId)],
    [
      "is closed with its session",
      (harness: ScriptedHarness, id: string) => harness.editor.call("session/close", { sessionId: id }),
    ],
  ] as const) {
    it(`an unanswered permission request keeps the turn open until the turn ${how}, and nothing is decided`, async () => {
      const harness = await running({ permit: () => new Promise(() => {}), idleTimeoutMs: 1000 });
      const decided: Decision[] = [];
      void harness.conversation.host.ask(curl, never).then((decision) => decided.push(decision));
      await tick();
      harness.time.advance(3_600_000);
      await tick();
      assert.deepEqual(decided, [], "the agent does not decide for the user");
      assert.deepEqual(harness.conversation.calls, ["start", "ready", "submit"]);
      await giveUp(harness, harness.sessionId);
      await tick();
      harness.time.advance(cancelGraceMs);
      assert.deepEqual(await harness.answered, { stopReason: "cancelled" });
      assert.ok(decided.every((decision) => decision === "unanswered"));
    });
  }
});

describe("a permission request with two answers", () => {
  it("the first of two answers to a permission request decides", async () => {
    const [near, far] = memoryPair();
    const engine = new ScriptedEngine();
    const program = { command: "bowline", args: [] };
    createAgent(near, { engine, after: fakeClock().after, env: {}, program, prewarms: false });
    const client = new RawClient(far, ({ answer }) => {
      answer(selected("reject"));
      answer(selected("allow"));
    });
    await client.call("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const opened = await client.call("session/new", { cwd: "/", mcpServers: [] });
    const sessionId = "result" in opened ? textAt(opened.result, "sessionId") : "";
    const [conversation] = engine.opened;
    assert.equal(await conversation?.host.ask(curl, never), "denied");
    await tick();
    assert.notEqual(sessionId, "");
  });
});

describe("a permission after the end of the turn", () => {
  it("a late permission does not change the answered prompt or the next one", async () => {
    let answerLate: (response: RequestPermissionResponse) => void = () => {};
    const { conversation, answered, updates, prompt, sessionId } = await running({
      permit: () => new Promise((resolve) => (answerLate = resolve)),
    });
    const decision = conversation.host.ask(curl, never);
    conversation.update(update.toolCall({ toolCallId: "call-1", title: "curl x" }));
    conversation.end();
    assert.deepEqual(await answered, { stopReason: "end_turn" });
    const before = updates.length;
    answerLate(selected("allow"));
    assert.equal(await decision, "allowed", "the engine is told, and decides what a late answer is worth");
    assert.equal(updates.length, before);
    const next = prompt(sessionId, "2");
    await conversation.hear("submit");
    conversation.end();
    assert.deepEqual(await next, { stopReason: "end_turn" });
  });
});
