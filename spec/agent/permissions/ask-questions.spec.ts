/**
 * Questions of the model, as a form and as permission options: each answer a client can
 * give, and what the engine gets.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequestPermissionResponse } from "../../../lib/acp/index.ts";
import type { UserAnswers, UserQuestions } from "../../../lib/engine/index.ts";
import {
  type ScriptedHarness,
  scriptedHarness,
  type ScriptedHarnessOptions,
} from "../../support/agent/scripted-harness.ts";

const tick = (): Promise<void> => new Promise(setImmediate);
const selected = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: "selected", optionId } });
const never = new AbortController().signal;

const colour = {
  question: "Which colour?",
  header: "Colour",
  options: [
    { label: "Red", description: "" },
    { label: "Blue", description: "Cold" },
  ],
  isMultiSelect: false,
};
const size = {
  question: "Which sizes?",
  header: "Size",
  options: [
    { label: "S", description: "" },
    { label: "L", description: "" },
  ],
  isMultiSelect: true,
};
const asked: UserQuestions = { toolCall: { toolCallId: "call-1", title: "Questions" }, questions: [colour, size] };

async function asks(
  options: ScriptedHarnessOptions,
  questions = asked,
  signal = never,
): Promise<{ readonly answer: UserAnswers; readonly harness: ScriptedHarness }> {
  const harness = await scriptedHarness(options);
  const { conversation } = await harness.open();
  return { answer: await conversation.host.askUser(questions, signal), harness };
}

describe("askQuestions with a form", () => {
  const form = { elicitation: { form: {} } };

  it("a form keeps several choices and free text, and leaves out empty answers", async () => {
    const { answer, harness } = await asks({
      ...form,
      elicit: () => ({
        action: "accept",
        content: { question_1: "", question_1_other: " ", question_2: ["S"], question_2_other: "XXL" },
      }),
    });
    assert.deepEqual(answer, { kind: "answered", answers: { "Which sizes?": "S, XXL" } });
    assert.deepEqual(harness.asked, [], "no permission is requested");
  });

  it("a form has the question as its message when there is one, and the engine's name otherwise", async () => {
    const messages: (string | undefined)[] = [];
    const elicit: ScriptedHarnessOptions["elicit"] = ({ message }) => (messages.push(message), { action: "decline" });
    await asks({ ...form, elicit });
    await asks({ ...form, elicit }, { ...asked, questions: [colour] });
    assert.deepEqual(messages, ["Scripted has some questions", "Which colour?"]);
  });

  it("a declined form is dismissed, and a cancelled or failed form is cancelled", async () => {
    const declined = await asks({ ...form, elicit: () => ({ action: "decline" }) });
    assert.deepEqual(declined.answer, { kind: "dismissed" });
    const cancelled = await asks({ ...form, elicit: () => ({ action: "cancel" }) });
    assert.deepEqual(cancelled.answer, { kind: "cancelled" });
    const failed = await asks({ ...form, elicit: () => Promise.reject(new Error("a bug")) });
    assert.deepEqual(failed.answer, { kind: "cancelled" });
    assert.equal(failed.harness.bugs.length, 1);
  });

  it("a form that the engine withdraws is cancelled, and is no bug", async () => {
    const harness = await scriptedHarness({ ...form, elicit: () => new Promise(() => {}) });
    const { conversation } = await harness.open();
    const withdrawn = new AbortController();
    const answer = conversation.host.askUser(asked, withdrawn.signal);
    await tick();
    withdrawn.abort();
    assert.deepEqual(await answer, { kind: "cancelled" });
    assert.deepEqual(harness.bugs, []);
  });
});

describe("askQuestions with permission options", () => {
  const press = (...ids: string[]): ScriptedHarnessOptions => ({ permit: () => selected(ids.shift() ?? "skip") });

  it("questions are asked one at a time, and choosing an option twice deselects it", async () => {
    const { answer, harness } = await asks(press("choice_1", "choice_0", "choice_0", "choice_1", "done"));
    assert.deepEqual(answer, { kind: "answered", answers: { "Which colour?": "Blue", "Which sizes?": "L" } });
    assert.deepEqual(
      harness.asked.map(({ toolCall }) => toolCall.title),
      ["Which colour?", "Which sizes?", "Which sizes? (S)", "Which sizes?", "Which sizes? (L)"],
    );
  });

  it("each question can be skipped, and skipping all of them dismisses the questions", async () => {
    const one = await asks(press("skip", "choice_0", "done"));
    assert.deepEqual(one.answer, { kind: "answered", answers: { "Which sizes?": "S" } });
    const none = await asks(press("skip", "skip"));
    assert.deepEqual(none.answer, { kind: "dismissed" });
  });

  it("an option that was not offered counts as skipped", async () => {
    const { answer } = await asks(press("choice_7", "done"));
    assert.deepEqual(answer, { kind: "dismissed" });
  });

  it("a question that is cancelled or answered with an error cancels all of them", async () => {
    const cancelled = await asks({ permit: () => ({ outcome: { outcome: "cancelled" } }) });
    assert.deepEqual(cancelled.answer, { kind: "cancelled" });
    assert.equal(cancelled.harness.asked.length, 1);
    const failed = await asks({ permit: () => Promise.reject(new Error("a bug")) });
    assert.deepEqual(failed.answer, { kind: "cancelled" });
  });
});
