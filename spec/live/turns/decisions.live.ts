/**
 * Live specs of decisions of the user: leaving plan mode and answering the model's
 * questions.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bareCapabilities, fullCapabilities } from "../../support/live/client/acp-client.ts";
import { toolResultTexts, type ApiRequest } from "../../support/live/api/api-request.ts";
import { inSession } from "../../support/live/with-agent.ts";
import { at } from "../../support/json.ts";
import { answer, call, say, type AnswerStep } from "../../support/live/api/model-script.ts";

const plan = "# Plan\n\n1. Do A\n";

/** The model writes its plan to the file that the CLI named. */
function writesPlan({ body }: ApiRequest, content = plan): AnswerStep {
  const file_path = /[^\s"\\`]+\/plans\/[^\s"\\`]+\.md/.exec(JSON.stringify(body))?.[0];
  assert.ok(file_path !== undefined, "the CLI names a plan file");
  return answer(call("Write", { file_path, content }));
}

const planning = [
  answer(say("Planning."), call("EnterPlanMode", {})),
  (request: ApiRequest) => writesPlan(request),
  answer(call("ExitPlanMode", {})),
  answer(say("Building.")),
];
const question = `asks Go on with this plan? · ${plan} [Yes, and accept edits without asking | Yes, and ask before each edit | Yes, and clear the conversation and accept edits without asking | No, keep planning]`;

describe("a plan", () => {
  it("a plan is entered, shown whole and left by the user's choice, to ask or to accept", () =>
    inSession({ plan: planning, again: planning }, async ({ client, tell }) => {
      client.editor.permissionAnswers.push({ optionId: "ask_each" }, { optionId: "accept_edits" });
      const entered = ["says Planning.", "calls switch_mode Start planning", "mode plan", "completed Start planning"];
      const left = [`completed Plan approved · ${plan}`, "says Building.", "answers end_turn"];
      const isFile = (line: string): boolean => line.includes("/plans/");
      const first = await tell("[[plan]] go");
      assert.deepEqual(
        first.filter((line) => !isFile(line)),
        [...entered, "calls switch_mode Go on with this plan?", question, "mode default", ...left],
      );
      const second = await tell("[[again]] go");
      assert.deepEqual(
        second.filter((line) => !isFile(line)),
        [...entered, "calls switch_mode Go on with this plan?", question, "mode acceptEdits", ...left],
      );
      assert.equal(client.editor.asked.length, 2, "writing the plan is not asked for");
    }));

  for (const [name, capabilities] of [
    ["forms", fullCapabilities],
    ["no forms", bareCapabilities],
  ] as const) {
    it(`a plan is carried out in a cleared conversation of the same session, in a client with ${name}`, () =>
      inSession(
        {
          // The plan names the script that carries it out.
          plan: planning.with(1, (request) => writesPlan(request, `${plan}[[build]]\n`)),
          build: [answer(say("Built."))],
        },
        async ({ client, tell, api }) => {
          client.editor.permissionAnswers.push({ optionId: "clear_context" });
          const seen = await tell("[[plan]] PERSIMMON");
          assert.match(seen.join("\n"), /completed Plan approved/);
          assert.doesNotMatch(seen.join("\n"), /not approved|interrupted/i);
          assert.ok(seen.includes("mode acceptEdits"), seen.join("\n"));
          assert.deepEqual(seen.slice(-2), ["says Built.", "answers end_turn"]);
          const sent = JSON.stringify(api.requestsOf("build")[0]?.body.messages);
          assert.match(sent, /Implement the following plan:.*Do A/);
          assert.doesNotMatch(sent, /PERSIMMON/);
          assert.deepEqual((await tell("[[build]] more")).slice(-1), ["answers end_turn"]);
        },
        { capabilities },
      ));
  }

  it("a plan that the user rejects ends the turn, and planning goes on", () =>
    inSession({ plan: planning, talk: [answer(say("Better?"))] }, async ({ client, tell, api }) => {
      client.editor.permissionAnswers.push({ optionId: "keep_planning" });
      const seen = await tell("[[plan]] go");
      assert.deepEqual(seen.slice(-2), [`failed Plan not approved · ${plan}`, "answers end_turn"]);
      assert.deepEqual(await tell("[[talk]] improve it"), ["says Better?", "answers end_turn"]);
      assert.match(JSON.stringify(api.requestsOf("talk")[0]?.body.messages), /[Pp]lan mode is active|plan mode/);
    }));
});

const questions = [
  {
    question: "Which colour?",
    header: "Colour",
    options: [
      { label: "Red", description: "Warm" },
      { label: "Blue", description: "Cold" },
    ],
    multiSelect: false,
  },
  {
    question: "Which sizes?",
    header: "Size",
    options: [
      { label: "S", description: "Small" },
      { label: "L", description: "Large" },
    ],
    multiSelect: true,
  },
];
const asking = { ask: [answer(call("AskUserQuestion", { questions })), answer(say("Thanks."))] };
const title = "Which colour? Which sizes?";

describe("questions", () => {
  it("questions of the model are one form where the client shows forms, with several answers and free text", () =>
    inSession(asking, async ({ client, api, tell }) => {
      client.editor.elicitationAnswers.push({
        action: "accept",
        content: { question_1_other: "Teal", question_2: ["S", "L"] },
      });
      assert.deepEqual(await tell("[[ask]] go"), [
        `calls other ${title}`,
        "form Claude has some questions",
        `completed ${title} · **Which colour?**\nTeal · **Which sizes?**\nS, L`,
        "says Thanks.",
        "answers end_turn",
      ]);
      const [told = ""] = toolResultTexts(api.requestsOf("ask")[1] ?? assert.fail("no second request"));
      assert.match(told, /"Which colour\?"="Teal".*"Which sizes\?"="S, L"/s);
      const form = client.editor.elicited.items[0];
      assert.equal(at(form, "requestedSchema.properties.question_1.oneOf.1.const"), "Blue");
      assert.equal(at(form, "requestedSchema.properties.question_2.type"), "array");
    }));

  it("declined questions go back to the model, and dismissed questions end the turn", () =>
    inSession(asking, async ({ client, tell }) => {
      client.editor.elicitationAnswers.push({ action: "decline" }, { action: "cancel" });
      assert.deepEqual((await tell("[[ask]] go")).slice(-3), [
        `failed ${title} · Not answered.`,
        "says Thanks.",
        "answers end_turn",
      ]);
      assert.deepEqual((await tell("[[ask]] go")).slice(-2), [`failed ${title} · Not answered.`, "answers cancelled"]);
    }));

  it("questions of the model are buttons where there are no forms, one question at a time, and one can be skipped", () =>
    inSession(
      asking,
      async ({ client, api, tell }) => {
        const press = (...ids: readonly string[]): unknown =>
          client.editor.permissionAnswers.push(...ids.map((optionId) => ({ optionId })));
        press("choice_1", "choice_0", "choice_1", "done");
        assert.deepEqual(await tell("[[ask]] go"), [
          `calls other ${title}`,
          "asks Which colour? · **Which colour?**\n- Red: Warm\n- Blue: Cold [Red | Blue | Skip]",
          "asks Which sizes? · **Which sizes?**\n- S: Small\n- L: Large [S | L | Skip]",
          "asks Which sizes? (S) · **Which sizes?**\n- S: Small\n- L: Large [✓ S | L | Done | Skip]",
          "asks Which sizes? (S, L) · **Which sizes?**\n- S: Small\n- L: Large [✓ S | ✓ L | Done | Skip]",
          `completed ${title} · **Which colour?**\nBlue · **Which sizes?**\nS, L`,
          "says Thanks.",
          "answers end_turn",
        ]);
        press("skip", "choice_0", "done");
        assert.equal((await tell("[[ask]] go")).at(-3), `completed ${title} · **Which sizes?**\nS`);
        press("skip", "skip");
        assert.equal((await tell("[[ask]] go")).at(-3), `failed ${title} · Not answered.`);
        assert.equal(api.requestsOf("ask").length, 6);
      },
      { capabilities: bareCapabilities },
    ));
});
