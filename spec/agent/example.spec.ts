/**
 * The example agent: a turn that is refused, cancelled, or meant for nobody.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { block, client, type RequestPermissionResponse, type SessionUpdate } from "../../lib/acp/index.ts";
import { exampleAgent } from "../../lib/agent/index.ts";
import { errorCodes } from "../../lib/rpc/index.ts";
import { memoryPair } from "../../lib/wire/index.ts";

async function connect(answer: () => RequestPermissionResponse | Promise<RequestPermissionResponse>) {
  const [agentEnd, clientEnd] = memoryPair();
  exampleAgent(agentEnd);
  const updates: SessionUpdate[] = [];
  const agent = await client(clientEnd, {
    info: { name: "spec", version: "1.0.0" },
    handlers: () => ({
      "session/update": ({ update }) => void updates.push(update),
      "session/request_permission": answer,
    }),
  });
  const { sessionId } = await agent.call("session/new", { cwd: "/", mcpServers: [] });
  return { agent, sessionId, updates };
}

describe("exampleAgent", () => {
  it("leaves the file as it was when the person says no", async () => {
    const { agent, sessionId, updates } = await connect(() => ({
      outcome: { outcome: "selected", optionId: "reject" },
    }));
    const { stopReason } = await agent.prompt({ sessionId, prompt: [block.text("hello")] });
    assert.equal(stopReason, "end_turn");
    const ends = updates.flatMap((one) => (one.sessionUpdate === "tool_call_update" ? [one.status] : []));
    assert.deepEqual(ends, ["failed"]);
    agent.close();
  });

  it("answers cancelled when its question is still open", async () => {
    let isAsked: () => void = () => {};
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const { agent, sessionId } = await connect(() => {
      isAsked();
      return new Promise(() => {});
    });
    const turn = agent.prompt({ sessionId, prompt: [block.text("hello")] });
    await asked;
    agent.cancel(sessionId);
    assert.deepEqual(await turn, { stopReason: "cancelled" });
    agent.close();
  });

  it("knows no session it did not open, or that was closed", async () => {
    const { agent, sessionId } = await connect(() => ({ outcome: { outcome: "cancelled" } }));
    await agent.call("session/close", { sessionId });
    const prompt = [block.text("hello")];
    await assert.rejects(agent.prompt({ sessionId, prompt }), {
      code: errorCodes.resourceNotFound,
      data: { sessionId },
    });
    agent.close();
  });
});
