/**
 * Live specs of what clients of other agents send: no `mcpServers`, steering, and the usage
 * of a turn, with the real CLI and the official SDK's client.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { at } from "../support/json.ts";
import { answer, call, hold, say } from "../support/live/model-script.ts";
import { inSession, withAgent } from "../support/live/with-agent.ts";

const talk = { talk: [answer(say("Hello."))] };

describe("session/new and session/load", () => {
  it("session/new and session/load are accepted without mcpServers", () =>
    withAgent(
      talk,
      async ({ client, cwd }) => {
        await client.initialize();
        const { sessionId } = await client.extension<{ sessionId: string }>("session/new", { cwd });
        assert.equal((await client.prompt(sessionId, "[[talk]] hi")).stopReason, "end_turn");
        await client.extension("session/load", { sessionId, cwd });
        assert.equal((await client.prompt(sessionId, "[[talk]] hi")).stopReason, "end_turn");
      },
      { overlook: "all" },
    ));
});

describe("_session/steering", () => {
  it("a prompt is injected into the running turn, and without one it starts a turn or stays with the client", () =>
    inSession(
      { ...talk, tool: [answer(hold("open"), call("Bash", { command: "sleep 0.2; echo hi" })), answer(say("Done."))] },
      async ({ client, sessionId, api, tell }) => {
        const steer = (text: string, _meta?: object) =>
          client.extension("_session/steering", { sessionId, prompt: [{ type: "text", text }], _meta });
        const clientOwned = { steering: { idleBehavior: "promptRequired" } };
        assert.deepEqual(await steer("PEAR", clientOwned), { outcome: "promptRequired", reason: "noRunningTurn" });
        const told = tell("[[tool]] go");
        await api.gate("open").reached();
        assert.deepEqual(await steer("PERSIMMON"), { outcome: "injected" });
        api.gate("open").release();
        assert.equal((await told).at(-1), "answers end_turn");
        assert.match(JSON.stringify(api.requestsOf("tool").at(-1)?.body.messages), /PERSIMMON/);
        assert.deepEqual(await steer("[[talk]] hi"), { outcome: "startedNewTurn" });
        await client.waitFor((update) => JSON.stringify(update).includes("Hello."));
        assert.doesNotMatch(JSON.stringify(api.requestsOf("talk").at(-1)?.body.messages), /PEAR/);
      },
      { overlook: { mayBeOpen: true } },
    ));

  it("initialize says at its top level that steering is supported", () =>
    withAgent({}, async ({ client }) => {
      assert.equal(at(await client.initialize(), "_meta.steering.supported"), true);
    }));
});

describe("the usage of a turn", () => {
  it("the response to a prompt has the tokens of the turn, and its cost in _meta", () =>
    inSession(talk, async ({ client, sessionId }) => {
      const first = await client.prompt(sessionId, "[[talk]] hi");
      const second = await client.prompt(sessionId, "[[talk]] hi");
      for (const response of [first, second]) {
        const { totalTokens, inputTokens, outputTokens } = at(response, "usage") as Record<string, number>;
        assert.ok((inputTokens ?? 0) > 0 && (outputTokens ?? 0) > 0);
        assert.ok((totalTokens ?? 0) >= (inputTokens ?? 0) + (outputTokens ?? 0));
        assert.equal(at(response, "_meta.cost.currency"), "USD");
      }
      assert.deepEqual(at(first, "usage"), at(second, "usage"), "each has the tokens of its own turn");
      const spent = Number(at(first, "_meta.cost.amount")) + Number(at(second, "_meta.cost.amount"));
      const costs = client
        .updatesOf(sessionId)
        .flatMap((one) => (one.sessionUpdate === "usage_update" ? [one.cost] : []));
      assert.ok(Math.abs(spent - (costs.at(-1)?.amount ?? 0)) < 1e-5, "both add up to the cost of the session");
    }));
});
