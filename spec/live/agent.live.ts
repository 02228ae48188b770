/**
 * Agent, live: the built single file between the official SDK's client and the
 * real Claude CLI.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withAgent } from "./support/bowline.ts";
import { answer, call, say, think } from "./support/script.ts";

describe("the agent and a model that talks", () => {
  it("streams text and thoughts in order and ends the turn", async () => {
    await withAgent({ talk: [answer(think("Let me ", "see."), say("Hello ", "there", "."))] }, async ({ client, cwd }) => {
      const sessionId = await client.open(cwd);
      assert.deepEqual(await client.prompt(sessionId, "[[talk]] hi"), { stopReason: "end_turn" });
      assert.equal(client.text(sessionId), "Hello there.");
      assert.equal(client.text(sessionId, "agent_thought_chunk"), "Let me see.");
      assert.deepEqual(client.faults(), []);
    });
  });

  it("runs a tool after the person allowed it", async () => {
    await withAgent(
      { bash: [answer(say("Running."), call("Bash", { command: "touch made.txt && echo out", description: "Make it" })), answer(say("Done."))] },
      async ({ client, cwd }) => {
        const sessionId = await client.open(cwd);
        assert.deepEqual(await client.prompt(sessionId, "[[bash]] go"), { stopReason: "end_turn" });
        assert.deepEqual(client.faults(), []);
      },
    );
  });
});
