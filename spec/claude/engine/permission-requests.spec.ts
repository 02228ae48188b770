/**
 * Permission requests and questions: each answer a client can give, and the response
 * that the CLI gets. spec/agent/permissions has the same for any engine.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequestPermissionResponse } from "../../../lib/acp/index.ts";
import { cancelGraceMs } from "../../../lib/agent/session/session.ts";
import {
  type AgentHarness,
  agentHarness,
  type AgentHarnessOptions,
  ends,
  mayI,
  takes,
  wants,
} from "../../support/claude/agent-harness.ts";
import type { Frame } from "../../support/claude/fake-cli.ts";

const selected = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: "selected", optionId } });

/** Has the fake CLI send a permission request, and returns the response it gets. */
async function asks(
  question: Frame,
  options: AgentHarnessOptions,
): Promise<{ readonly answer: Frame; readonly harness: Awaited<ReturnType<typeof agentHarness>> }> {
  const harness = await agentHarness(options);
  const { sessionId, fakeCli } = await harness.open();
  void harness.prompt(sessionId, "hi").catch(() => {});
  const { tool_name, input } = question["request"];
  fakeCli.say(...takes(await fakeCli.hear("user")), wants(tool_name, input), question);
  const { response } = await fakeCli.hear("control_response");
  return { answer: response.response, harness };
}

const curl = mayI(
  "Bash",
  { command: "curl x" },
  {
    permission_suggestions: [
      {
        type: "addRules",
        rules: [{ toolName: "Bash", ruleContent: "curl x" }],
        behavior: "allow",
        destination: "localSettings",
      },
    ],
  },
);

describe("decideToolCall", () => {
  it("allow_once allows the call unchanged and adds no rule", async () => {
    const { answer, harness } = await asks(curl, { permit: () => selected("allow") });
    assert.equal(answer["behavior"], "allow");
    assert.equal(answer["updatedPermissions"], undefined);
    const [asked] = harness.asked;
    assert.deepEqual(
      asked?.options.map(({ kind }) => kind),
      ["allow_once", "allow_always", "reject_once", "reject_always"],
    );
    assert.equal(asked?.toolCall.title, "curl x");
  });

  it("a question about an edit shows the file as it is then, although the call was announced with an earlier text", async () => {
    const texts: string[] = [];
    let text = "first\nold\n";
    const harness = await agentHarness({
      permit: () => selected("allow"),
      textOf: () => (texts.push(text), text),
    });
    const { sessionId, fakeCli } = await harness.open();
    void harness.prompt(sessionId, "hi").catch(() => {});
    const input = { file_path: "/a.txt", old_string: "old", new_string: "new" };
    fakeCli.say(...takes(await fakeCli.hear("user")), wants("Edit", input));
    await new Promise(setImmediate);
    // An earlier call of the same message has changed the file meanwhile.
    text = "changed\nold\n";
    fakeCli.say(mayI("Edit", input));
    await fakeCli.hear("control_response");
    const [announced] = harness.updates.flatMap((one) => (one.sessionUpdate === "tool_call" ? [one.content] : []));
    const before = (content: typeof announced) => content?.map((part) => (part.type === "diff" ? part.oldText : part));
    assert.deepEqual(before(announced), ["first\nold\n"]);
    assert.deepEqual(before(harness.asked[0]?.toolCall.content ?? undefined), ["changed\nold\n"]);
    assert.equal(texts.length, 2, "each diff is made once");
  });

  it("reject_always denies the call, and the turn goes on", async () => {
    const { answer, harness } = await asks(curl, { permit: () => selected("reject_always") });
    assert.deepEqual([answer["behavior"], answer["interrupt"]], ["deny", undefined]);
    assert.match(String(answer["message"]), /does not allow this in this session/);
    assert.equal(harness.asked[0]?.options.at(-1)?.name, "Never allow this command in this session");
  });

  it("reject_always makes the CLI deny the same call, also where it would not ask", async () => {
    const { harness, answer } = await asks(curl, { permit: () => selected("reject_always") });
    assert.equal(answer["behavior"], "deny");
    const sent = harness.cli.runs[0]?.frames.map(({ request }) => request) ?? [];
    assert.deepEqual(
      sent.filter((request) => request?.subtype === "apply_flag_settings"),
      [{ subtype: "apply_flag_settings", settings: { permissions: { deny: ["Bash(curl x)"] } } }],
    );
  });

  it("allow_always adds a rule for the session, never to the user's settings files", async () => {
    const { answer } = await asks(curl, { permit: () => selected("allow_always") });
    assert.equal(answer["behavior"], "allow");
    assert.deepEqual(
      answer["updatedPermissions"].map(({ destination }: Frame) => destination),
      ["session"],
    );
  });

  const refusals: readonly (readonly [string, AgentHarnessOptions["permit"], boolean])[] = [
    ["rejected", () => selected("reject"), false],
    ["dismissed", () => ({ outcome: { outcome: "cancelled" } }), true],
    ["answered with an option that was not offered", () => selected("allow_everything"), false],
    ["answered with an option named like an object property", () => selected("__proto__"), false],
    ["answered with an error", () => Promise.reject(new Error("a bug")), true],
    // @ts-expect-error an outcome the protocol does not know
    ["answered with an unknown outcome", () => ({ outcome: { outcome: "maybe" } }), true],
  ];
  for (const [how, permit, isInterrupting] of refusals) {
    it(`a permission request that is ${how} denies the call`, async () => {
      const { answer } = await asks(curl, { permit });
      assert.equal(answer["behavior"], "deny");
      assert.equal(answer["interrupt"] === true, isInterrupting);
    });
  }

  it("a permission request that the CLI cancels is cancelled at the client, and a late answer is ignored", async () => {
    let answerLate: (response: RequestPermissionResponse) => void = () => {};
    const harness = await agentHarness({ permit: () => new Promise((resolve) => (answerLate = resolve)) });
    const { sessionId, fakeCli } = await harness.open();
    void harness.prompt(sessionId, "hi").catch(() => {});
    fakeCli.say(...takes(await fakeCli.hear("user")), curl);
    await new Promise(setImmediate);
    assert.equal(harness.asked.length, 1);
    fakeCli.say({ type: "control_cancel_request", request_id: "ask-1" });
    await new Promise(setImmediate);
    answerLate(selected("allow"));
    await new Promise(setImmediate);
    const answers = fakeCli.frames.filter((frame) => frame["type"] === "control_response");
    assert.ok(answers.every((frame) => frame["response"].response?.behavior !== "allow"));
  });
});

const questions = [
  {
    question: "Which colour?",
    header: "Colour",
    options: [{ label: "Red" }, { label: "Blue", description: "Cold" }],
    multiSelect: false,
  },
  { question: "Which sizes?", header: "Size", options: [{ label: "S" }, { label: "L" }], multiSelect: true },
];
const question = mayI("AskUserQuestion", { questions }, { requires_user_interaction: true });

describe("a permission request without an answer", () => {
  for (const [how, giveUp] of [
    ["is cancelled", (harness: AgentHarness, sessionId: string) => harness.editor.cancel(sessionId)],
    [
      "is closed with its session",
      (harness: AgentHarness, id: string) => harness.editor.call("session/close", { sessionId: id }),
    ],
  ] as const) {
    it(`an unanswered permission request keeps the turn open until the turn ${how}, and nothing runs`, async () => {
      const harness = await agentHarness({ permit: () => new Promise(() => {}) });
      const { sessionId, fakeCli } = await harness.open();
      const answered = harness.prompt(sessionId, "hi");
      fakeCli.say(...takes(await fakeCli.hear("user")), wants("Bash", { command: "curl x" }), curl);
      await new Promise(setImmediate);
      harness.time.advance(3_600_000);
      await new Promise(setImmediate);
      const responses = fakeCli.frames.filter(({ type }) => type === "control_response");
      assert.deepEqual(responses, [], "the agent does not decide for the user");
      await giveUp(harness, sessionId);
      await new Promise(setImmediate);
      harness.time.advance(cancelGraceMs);
      assert.deepEqual(await answered, { stopReason: "cancelled" });
      const decided = fakeCli.frames.filter(({ response }) => response?.response?.behavior === "allow");
      assert.deepEqual(decided, []);
    });
  }
});

describe("a permission after the end of the turn", () => {
  it("a late permission does not restart a tool call that has ended", async () => {
    let answerLate: (response: RequestPermissionResponse) => void = () => {};
    const harness = await agentHarness({ permit: () => new Promise((resolve) => (answerLate = resolve)) });
    const { sessionId, fakeCli } = await harness.open();
    const answered = harness.prompt(sessionId, "hi");
    const frame = await fakeCli.hear("user");
    fakeCli.say(...takes(frame), wants("Bash", { command: "curl x" }), curl, ...ends(frame));
    await answered;
    answerLate(selected("allow"));
    await new Promise(setImmediate);
    const states = harness.updates.flatMap((one) => (one.sessionUpdate === "tool_call_update" ? [one.status] : []));
    assert.deepEqual(states, ["in_progress", "failed"]);
  });
});

describe("askQuestions with a form", () => {
  const form = { elicitation: { form: {} } };

  it("a form keeps several choices and free text, and leaves out empty answers", async () => {
    const { answer } = await asks(question, {
      ...form,
      elicit: () => ({
        action: "accept",
        content: { question_1: "", question_1_other: " ", question_2: ["S"], question_2_other: "XXL" },
      }),
    });
    assert.deepEqual(answer["updatedInput"], { questions, answers: { "Which sizes?": "S, XXL" } });
  });

  it("a declined form denies the call, and a cancelled form also ends the turn", async () => {
    const declined = await asks(question, { ...form, elicit: () => ({ action: "decline" }) });
    assert.deepEqual([declined.answer["behavior"], declined.answer["interrupt"]], ["deny", undefined]);
    const cancelled = await asks(question, { ...form, elicit: () => ({ action: "cancel" }) });
    assert.deepEqual([cancelled.answer["behavior"], cancelled.answer["interrupt"]], ["deny", true]);
  });
});

describe("ExitPlanMode", () => {
  const plan = mayI("ExitPlanMode", { plan: "# Plan" }, { requires_user_interaction: true });

  it("the user's answer to a plan sets the mode or keeps planning", async () => {
    const accepted = await asks(plan, { permit: () => selected("accept_edits") });
    assert.deepEqual(accepted.answer["updatedPermissions"], [
      { type: "setMode", mode: "acceptEdits", destination: "session" },
    ]);
    const asking = await asks(plan, { permit: () => selected("ask_each") });
    assert.deepEqual(asking.answer["updatedPermissions"], [
      { type: "setMode", mode: "default", destination: "session" },
    ]);
    const kept = await asks(plan, { permit: () => selected("keep_planning") });
    assert.deepEqual([kept.answer["behavior"], kept.answer["interrupt"]], ["deny", true]);
  });
});
