/**
 * Live specs of turns that hold for every engine: cancelled at any moment, queued, and
 * silent after their answer.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hold } from "../../support/live/api/model-script.ts";
import { asking, liveEngines, running, say, type SharedSession, silence } from "../../support/live/live-engines.ts";
import { waitForCommand, waitUntil } from "../../support/processes.ts";

const talk = { talk: [say("Hello.")] };
const noWarm = { env: { BOWLINE_PREWARM: "0" } };

/** Checks that the session still works. */
async function goesOn({ tell }: SharedSession): Promise<void> {
  assert.deepEqual(await tell("[[talk]] hi"), ["says Hello.", "answers end_turn"]);
}

for (const { name, inSession } of liveEngines) {
  describe(`turns of ${name}`, () => {
    it(`a turn of ${name} can be cancelled before the model has answered, and twice`, () =>
      inSession({ ...talk, mute: [silence("mute")] }, async (driver) => {
        const { client, api, sessionId, tell } = driver;
        await client.cancel(sessionId);
        const told = tell("[[mute]] go");
        await api.gate("mute").reached();
        await client.cancel(sessionId);
        await client.cancel(sessionId);
        assert.deepEqual(await told, ["answers cancelled"]);
        await goesOn(driver);
      }));

    it(`a turn of ${name} cancelled in the middle of a word keeps the text so far, and nothing follows its answer`, () =>
      inSession({ ...talk, slow: [say("Some ", hold("word"), "more")] }, async (driver) => {
        const { client, api, sessionId, tell, seen } = driver;
        const told = tell("[[slow]] go");
        await api.gate("word").reached();
        await client.waitFor((one) => one.sessionUpdate === "agent_message_chunk");
        await client.cancel(sessionId);
        assert.deepEqual(await told, ["says Some ", "answers cancelled"]);
        api.gate("word").release();
        await client.request("session/list", {});
        assert.deepEqual(seen(), []);
        await goesOn(driver);
      }));

    it(`a turn of ${name} cancelled in the middle of a command stops the command within 2 seconds and ends its call`, () =>
      inSession(
        { ...talk, sleep: [running("echo on; sleep 471"), say("never")] },
        async (driver) => {
          const { client, sessionId, tell, place } = driver;
          const told = tell("[[sleep]] go");
          await waitForCommand(place.root, "sleep 471");
          await client.waitFor(() => client.toolCalls(sessionId).length === 1);
          const began = performance.now();
          await client.cancel(sessionId);
          const seen = await told;
          assert.equal(seen.at(-1), "answers cancelled");
          assert.match(seen.at(-2) ?? "", /^failed echo on; sleep 471/);
          const runs = ({ command }: { readonly command: string }): boolean => command.startsWith("sleep 471");
          const left = await waitUntil(place.root, (all) => !all.some(runs), 2000);
          assert.deepEqual(left.filter(runs), []);
          assert.ok(performance.now() - began < 4000);
          await goesOn(driver);
        },
        noWarm,
      ));

    it(`a turn of ${name} cancelled during a question withdraws it, and a late approval changes nothing`, () =>
      inSession({ ...talk, ask: [asking("touch never.txt"), say("never")] }, async (driver) => {
        const { client, sessionId, tell, place } = driver;
        let allowLate: () => void = () => {};
        client.editor.permissionAnswers.push(() => new Promise((resolve) => (allowLate = () => resolve("allow"))));
        const told = tell("[[ask]] go");
        const asked = await client.editor.asked.waitFor(() => true);
        await client.cancel(sessionId);
        const seen = await told;
        allowLate();
        assert.match(seen.at(-2) ?? "", /^failed touch never\.txt/);
        assert.equal(seen.at(-1), "answers cancelled");
        assert.ok(asked.isWithdrawn, "the agent takes its question back");
        await goesOn(driver);
        assert.throws(() => place.read("never.txt"));
      }));

    it(`a second prompt to ${name} waits for the first, and both are answered`, () =>
      inSession({ ...talk, slow: [say("Some ", hold("word"), "more")] }, async ({ client, api, sessionId, seen }) => {
        const first = client.prompt(sessionId, "[[slow]] one");
        await api.gate("word").reached();
        const second = client.prompt(sessionId, "[[talk]] two");
        await client.request("session/list", {});
        assert.equal(api.sentTo("talk").length, 0);
        api.gate("word").release();
        await Promise.all([first, second]);
        assert.deepEqual(seen(), ["says Some more", "answers end_turn", "says Hello.", "answers end_turn"]);
      }));
  });
}

describe("a client of Codex that does not read", () => {
  it("a client that stops reading bounds the agent's memory, and gets all of the output later", async () => {
    const codex = liveEngines.find(({ name }) => name === "Codex");
    await codex?.inSession({ much: [running("seq 1 400000"), say("Counted.")] }, async ({ client, sessionId }) => {
      const { residentKb } = await import("../../support/processes.ts");
      client.program.pause();
      const told = client.prompt(sessionId, "[[much]] go");
      const before = residentKb(client.program.pid);
      await new Promise((resolve) => setTimeout(resolve, 3000));
      assert.ok(residentKb(client.program.pid) - before < 150_000, "it grows by less than 150 MB");
      client.program.resume();
      assert.equal((await told).stopReason, "end_turn");
      assert.match(client.text(sessionId), /Counted\.$/);
    });
  });
});
