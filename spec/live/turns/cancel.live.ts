/**
 * Live specs of cancelling: at every moment of a turn the response is `cancelled`, and
 * the next prompt works.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { inSession, type SessionDriver } from "../../support/live/with-agent.ts";
import { waitForCommand } from "../../support/processes.ts";
import { answer, call, fails, forever, hold, say, silence, think } from "../../support/live/api/model-script.ts";
import { ended } from "../../support/live/client/editor-mode.ts";

const talk = { talk: [answer(say("Hello."))] };

/** Checks that the session still works. */
async function goesOn({ tell }: SessionDriver): Promise<void> {
  assert.deepEqual(await tell("[[talk]] hi"), ["says Hello.", "answers end_turn"]);
}

/** A command that runs until it is stopped; the CLI refuses a lone sleep. */
const sleeping = (seconds: number): ReturnType<typeof call> =>
  call("Bash", { command: `echo on; sleep ${seconds}`, description: "Wait" });

// Prewarming is off: the test looks for the session's own CLI in the process table.
process.env["BOWLINE_PREWARM"] = "0";

describe("a turn cancelled", () => {
  it("a turn can be cancelled before the model has answered", () =>
    inSession({ ...talk, mute: [silence("mute")] }, async (driver) => {
      const { client, api, sessionId, tell } = driver;
      const told = tell("[[mute]] go");
      await api.gate("mute").reached();
      await client.cancel(sessionId);
      assert.deepEqual(await told, ["answers cancelled"]);
      await goesOn(driver);
    }));

  it("a turn cancelled in the middle of a word keeps the text so far", () =>
    inSession({ ...talk, slow: [answer(think("Hm."), say("Some ", hold("word"), "more"))] }, async (driver) => {
      const { client, api, sessionId, tell } = driver;
      const told = tell("[[slow]] go");
      await api.gate("word").reached();
      await client.waitFor((one) => one.sessionUpdate === "agent_message_chunk");
      await client.cancel(sessionId);
      assert.deepEqual(await told, ["thinks Hm.", "says Some ", "answers cancelled"]);
      await goesOn(driver);
    }));

  it("a turn cancelled in the middle of a command ends the command and its tool call", () =>
    inSession({ ...talk, sleep: [answer(sleeping(471)), answer(say("never"))] }, async (driver) => {
      const { client, sessionId, tell, place } = driver;
      const told = tell("[[sleep]] go");
      await waitForCommand(place.root, "sleep 471");
      await client.cancel(sessionId);
      assert.deepEqual(await told, [
        "calls execute echo on; sleep 471",
        ended("failed", "echo on; sleep 471", "Cancelled."),
        "answers cancelled",
      ]);
      await goesOn(driver);
    }));

  it("a turn cancelled while a permission is requested withdraws the request, and a late approval changes nothing", () =>
    inSession({ ...talk }, async (driver) => {
      const { client, api, sessionId, tell, path } = driver;
      api.script("write", answer(call("Write", { file_path: path("x.txt"), content: "no" })), answer(say("never")));
      let allowLate: () => void = () => {};
      client.editor.permissionAnswers.push(() => new Promise((resolve) => (allowLate = () => resolve("allow"))));
      const told = tell("[[write]] go");
      const asked = await client.editor.asked.waitFor(() => true);
      await client.cancel(sessionId);
      const seen = await told;
      allowLate();
      assert.deepEqual(seen.slice(2), [
        'failed Write x.txt · Not applied. · Cancelled. · ~/x.txt: null -> "no"',
        "answers cancelled",
      ]);
      assert.ok(asked.isWithdrawn, "the agent takes its question back");
      await goesOn(driver);
      assert.ok(!existsSync(path("x.txt")));
    }));

  it("a turn can be cancelled while the CLI retries the API", () =>
    inSession({ ...talk, busy: [forever(fails(529))] }, async (driver) => {
      const { client, sessionId, tell } = driver;
      const told = tell("[[busy]] go");
      await client.waitFor((one) => JSON.stringify(one).includes("trying again"));
      await client.cancel(sessionId);
      assert.equal((await told).at(-1), "answers cancelled");
      await goesOn(driver);
    }));

  it("a turn cancelled right after its prompt costs no API request", () =>
    inSession({ ...talk, never: [answer(say("never"))] }, async (driver) => {
      const { client, sessionId, api, seen } = driver;
      const frame = { jsonrpc: "2.0", id: "behind", method: "session/prompt" };
      const prompt = [{ type: "text", text: "[[never]] go" }];
      const lines = [
        { ...frame, params: { sessionId, prompt } },
        { jsonrpc: "2.0", method: "session/cancel", params: { sessionId } },
      ];
      await client.program.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      await client.program.wire.waitFor(({ message }) => message?.["id"] === "behind" && "result" in message);
      assert.deepEqual(seen(), ["answers cancelled"]);
      assert.equal(api.requests.length, 0);
      await goesOn(driver);
    }));

  it("a turn cancelled twice is cancelled once, and a cancel without a turn does nothing", () =>
    inSession({ ...talk, mute: [silence("mute")] }, async (driver) => {
      const { client, api, sessionId, tell } = driver;
      await client.cancel(sessionId);
      await client.notify("session/cancel", { sessionId: "nobody" });
      await goesOn(driver);
      const told = tell("[[mute]] go");
      await api.gate("mute").reached();
      await client.cancel(sessionId);
      await client.cancel(sessionId);
      assert.deepEqual(await told, ["answers cancelled"]);
      await client.cancel(sessionId);
      await goesOn(driver);
    }));

  it("a turn whose CLI hangs can be cancelled, and the conversation goes on in another CLI", () =>
    inSession({ ...talk, sleep: [answer(say("Waiting."), sleeping(472)), answer(say("never"))] }, async (driver) => {
      const { client, sessionId, tell, place, api } = driver;
      const told = tell("[[sleep]] PERSIMMON");
      await waitForCommand(place.root, "sleep 472");
      const cli = await waitForCommand(place.root, "--input-format=stream-json");
      process.kill(cli.pid, "SIGSTOP");
      const began = performance.now();
      await client.cancel(sessionId);
      assert.deepEqual(await told, [
        "says Waiting.",
        "calls execute echo on; sleep 472",
        ended("failed", "echo on; sleep 472", "Wait", "Cancelled."),
        "answers cancelled",
      ]);
      assert.ok(performance.now() - began < 4000);
      await goesOn(driver);
      assert.match(JSON.stringify(api.requestsOf("talk")[0]?.body.messages), /PERSIMMON/);
    }));
});
