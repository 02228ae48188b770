/**
 * Live specs of concurrency: several sessions in one program, and steering a running
 * turn.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inSession, withAgent } from "../../support/live/with-agent.ts";
import { cliOf } from "../../support/live/kill-points.ts";
import { waitForCommand } from "../../support/processes.ts";
import { answer, call, hold, say } from "../../support/live/api/model-script.ts";
import { transcript } from "../../support/live/client/shown-transcript.ts";

const talk = { talk: [answer(say("Hello."))] };

describe("many sessions", () => {
  it("many sessions are not affected when one of them crashes, hangs or is closed", () =>
    withAgent({ ...talk, slow: [answer(say("Some ", hold("word"), "more"))] }, async (play) => {
      const { client, cwd, api } = play;
      await client.initialize();
      const ids = await Promise.all(Array.from({ length: 5 }, async () => (await client.newSession(cwd)).sessionId));
      assert.equal(new Set(ids).size, 5);
      const [crashed = "", hung = "", closed = "", ...well] = ids;
      const prompts = ids.map((id) => client.prompt(id, "[[slow]] go").catch((cause: unknown) => cause));
      await api.gate("word").reached(5);
      process.kill((await cliOf(play.place, crashed)).pid, "SIGKILL");
      process.kill((await cliOf(play.place, hung)).pid, "SIGSTOP");
      await client.request("session/close", { sessionId: closed });
      await prompts[0];
      api.gate("word").release();
      await Promise.all(prompts.slice(2));
      for (const id of well) assert.deepEqual(transcript(client, cwd, id), ["says Some more", "answers end_turn"]);
      assert.match(transcript(client, cwd, crashed).at(-1) ?? "", /^answers -32603 .*SIGKILL/);
      assert.equal(transcript(client, cwd, closed).at(-1), "answers cancelled");
      process.kill((await cliOf(play.place, hung)).pid, "SIGCONT");
      assert.deepEqual(await prompts[1], { stopReason: "end_turn" }, "a slow one is only slow");
      for (const id of [crashed, ...well]) {
        assert.deepEqual(await client.prompt(id, "[[talk]] hi"), { stopReason: "end_turn" });
      }
    }));
});

describe("_session/steer", () => {
  it("_session/steer reaches the model in the running turn, while a tool runs", () =>
    inSession(
      {
        work: [
          answer(call("Bash", { command: "echo on; until [ -e go ]; do sleep 0.1; done" })),
          answer(say("Heard.")),
        ],
      },
      async ({ client, sessionId, tell, api, place }) => {
        const told = tell("[[work]] go");
        await waitForCommand(place.root, "until [ -e go ]");
        const steer = { sessionId, prompt: [{ type: "text", text: "also mention BANANA" }] };
        assert.deepEqual(await client.extension("_session/steer", steer), {});
        place.write("go", "");
        assert.deepEqual((await told).slice(-2), ["says Heard.", "answers end_turn"]);
        const [, second, ...more] = api.requestsOf("work");
        assert.match(JSON.stringify(second?.body.messages), /BANANA/);
        assert.deepEqual(more, [], "no turn of its own follows");
      },
    ));

  it("_session/steer during a stream reaches the model before the turn is answered", () =>
    inSession(
      { slow: [answer(say("Some ", hold("word"), "more. "))], next: [answer(say("And that."))] },
      async ({ client, sessionId, tell, api }) => {
        const told = tell("[[slow]] go");
        await api.gate("word").reached();
        await client.extension("_session/steer", { sessionId, prompt: [{ type: "text", text: "[[next]] please" }] });
        api.gate("word").release();
        assert.deepEqual(await told, ["says Some more. And that.", "answers end_turn"]);
      },
    ));

  it("_session/steer is refused when no turn runs or the turn is being stopped, and without text", () =>
    inSession(
      { ...talk, slow: [answer(say("Some ", hold("word"), "more"))] },
      async ({ client, sessionId, tell, api }) => {
        const prompt = [{ type: "text", text: "hi" }];
        const steer = (id: string, what: unknown): Promise<unknown> =>
          client.extension("_session/steer", { sessionId: id, prompt: what });
        await assert.rejects(steer(sessionId, prompt), { code: -32600 });
        await assert.rejects(steer("nobody", prompt), { code: -32002 });
        await assert.rejects(steer(sessionId, "hi"), { code: -32602 });
        const told = tell("[[slow]] go");
        await api.gate("word").reached();
        await client.cancel(sessionId);
        await assert.rejects(steer(sessionId, prompt), { code: -32600 });
        assert.equal((await told).at(-1), "answers cancelled");
        assert.deepEqual(await tell("[[talk]] hi"), ["says Hello.", "answers end_turn"]);
      },
    ));
});
