/**
 * The agent when the clock jumps, because the machine slept or the time was set: no
 * turn ends because hours have passed, and nothing depends on the time of day.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { permissionOption } from "../../lib/acp/index.ts";
import { filesBelow, readText } from "../support/files.ts";
import { scriptedHarness } from "../support/agent/scripted-harness.ts";

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const dayMs = 24 * 3_600_000;

describe("a clock that jumps ahead by a day", () => {
  it("a clock jump in the middle of a turn ends nothing", async () => {
    const { open, prompt, time } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const answered = prompt(sessionId, "hi");
    await conversation.hear("submit");
    time.advance(dayMs);
    conversation.take();
    conversation.say("Wait.");
    await tick();
    time.advance(dayMs);
    await tick();
    assert.deepEqual(conversation.calls, ["start", "ready", "submit"]);
    conversation.end();
    assert.deepEqual(await answered, { stopReason: "end_turn" });
  });

  it("a clock jump leaves a permission request open, and the user's answer counts", async () => {
    let answer: (optionId: string) => void = () => {};
    const { open, time } = await scriptedHarness({
      permit: () =>
        new Promise((resolve) => {
          answer = (optionId) => resolve({ outcome: { outcome: "selected", optionId } });
        }),
    });
    const { conversation } = await open();
    let decided: string | undefined;
    const allow = { option: permissionOption("allow_once", "allow", "Allow"), decision: "allowed" };
    const question = { toolCall: { toolCallId: "1" }, choices: [allow], rejected: "denied", unanswered: "denied" };
    const deciding = conversation.host
      .ask(question, new AbortController().signal)
      .then((decision) => (decided = decision));
    await tick();
    time.advance(dayMs);
    await tick();
    assert.equal(decided, undefined, "the agent does not answer for the user");
    answer("allow");
    assert.equal(await deciding, "allowed");
  });

  it("a clock jump between two prompts releases the idle engine, and the next prompt gets it ready again", async () => {
    const { open, prompt, time } = await scriptedHarness();
    const { sessionId, conversation } = await open();
    const first = prompt(sessionId, "1");
    await conversation.hear("submit");
    conversation.end();
    await first;
    time.advance(dayMs);
    assert.equal(conversation.calls.at(-1), "release");
    const second = prompt(sessionId, "2");
    await conversation.hear("submit");
    assert.deepEqual(conversation.calls.slice(-3), ["release", "ready", "submit"]);
    conversation.end();
    assert.deepEqual(await second, { stopReason: "end_turn" });
  });
});

describe("the time of day", () => {
  /** These modules show the time, record it, or read it from the CLI's files; Codex tells the end of a limit as a time of day; the agent shows when limits reset, with the clock that it is created with. */
  const mayKnow =
    /^lib\/(?:(?:tape|program|serve|hub|bridge|packets)\/|codex\/engine\/turn\/codex-turns\.ts$|agent\/create-agent\.ts$)/;

  it("no module outside tape, program, serve, hub, bridge, packets, the turns of Codex and where the agent is created reads the time of day", () => {
    const asking = filesBelow(["lib"], ".ts").filter(
      (path) => !mayKnow.test(path) && /\bDate\.now\b|new Date\(\)/.test(readText(path)),
    );
    assert.deepEqual(asking, []);
  });
});
