/**
 * Live specs of subagents: in the foreground, concurrent, and in the background.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inSession } from "../../support/live/with-agent.ts";
import { at } from "../../support/json.ts";
import { answer, call, hold, say, type Script } from "../../support/live/api/model-script.ts";
import { ended } from "../../support/live/client/editor-mode.ts";

function helper(description: string, script: string, isBehind: boolean): ReturnType<typeof call> {
  const prompt = `[[${script}]] do it`;
  return call("Agent", { description, prompt, subagent_type: "general-purpose", run_in_background: isBehind });
}

const touching = (name: string): Script => [
  answer(say("Touching."), call("Bash", { command: `touch ${name}`, description: "Touch" })),
  answer(say(`Report of ${name}.`)),
];
const allowTouch = (name: string): string =>
  `asks touch ${name} · Touch [Allow | Always allow "touch ${name}" in this session | Reject | Never allow this command in this session | Reject and tell Claude why]`;

describe("a subagent", () => {
  it("a subagent in the foreground shows its tool calls below its own and ends with its report alone", () =>
    inSession(
      {
        one: touching("one.txt"),
        front: [answer(say("Delegating."), helper("First helper", "one", false)), answer(say("All done."))],
      },
      async ({ client, sessionId, tell }) => {
        assert.deepEqual(await tell("[[front]] go"), [
          "says Delegating.",
          "calls think First helper",
          "calls execute touch one.txt",
          allowTouch("one.txt"),
          ended("completed", "touch one.txt"),
          "completed First helper · Report of one.txt.",
          "says All done.",
          "answers end_turn",
        ]);
        const [agent, touch] = client.toolCalls(sessionId);
        assert.equal(at(touch, "_meta.claudeCode.parentToolUseId"), agent?.toolCallId);
      },
    ));

  it("a subagent beside another does not mix with it, and both may request permissions at once", () =>
    inSession(
      {
        one: touching("one.txt"),
        two: touching("two.txt"),
        both: [
          answer(helper("First helper", "one", false), helper("Second helper", "two", false)),
          answer(say("Both done.")),
        ],
      },
      async ({ client, sessionId, tell, place }) => {
        const seen = await tell("[[both]] go");
        assert.ok(seen.includes(allowTouch("one.txt")) && seen.includes(allowTouch("two.txt")));
        assert.ok(seen.includes("completed First helper · Report of one.txt."));
        assert.ok(seen.includes("completed Second helper · Report of two.txt."));
        assert.deepEqual(seen.slice(-2), ["says Both done.", "answers end_turn"]);
        const calls = client.toolCalls(sessionId);
        const [first, second] = calls;
        const below = (id: string | undefined): readonly (string | null | undefined)[] =>
          calls.filter((one) => at(one, "_meta.claudeCode.parentToolUseId") === id).map((one) => one.title);
        assert.deepEqual(below(first?.toolCallId), ["touch one.txt"]);
        assert.deepEqual(below(second?.toolCallId), ["touch two.txt"]);
        assert.equal(place.read("one.txt") + place.read("two.txt"), "");
      },
    ));

  it("a subagent in the background keeps its tool call and the turn open until it reports", () =>
    inSession(
      {
        far: [answer(hold("far"), say("Report from afar."))],
        back: [answer(helper("Far helper", "far", true)), answer(say("Started it.")), answer(say("It is back."))],
      },
      async ({ client, api, sessionId, tell }) => {
        const told = tell("[[back]] go");
        await client.waitFor((one) => JSON.stringify(one).includes("Started it."));
        await api.gate("far").reached();
        assert.notEqual(client.toolCalls(sessionId)[0]?.status, "completed");
        api.gate("far").release();
        assert.deepEqual(await told, [
          "calls think Far helper",
          "says Started it.",
          "completed Far helper · Report from afar.",
          "says It is back.",
          "answers end_turn",
        ]);
      },
    ));

  it("a subagent in the background is stopped with its turn", () =>
    inSession(
      {
        far: [answer(hold("far"), say("never"))],
        back: [answer(helper("Far helper", "far", true)), answer(say("Started it."))],
        talk: [answer(say("Hello."))],
      },
      async ({ client, api, sessionId, tell }) => {
        const told = tell("[[back]] go");
        await client.waitFor((one) => JSON.stringify(one).includes("Started it."));
        await api.gate("far").reached();
        await client.cancel(sessionId);
        const seen = await told;
        assert.equal(seen.at(-1), "answers cancelled");
        assert.equal(client.toolCalls(sessionId)[0]?.status, "failed");
        assert.deepEqual(await tell("[[talk]] hi"), ["says Hello.", "answers end_turn"]);
      },
    ));
});
