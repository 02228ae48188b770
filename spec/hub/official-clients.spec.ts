/**
 * Two clients of the official SDK in one session of the hub.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as acp from "@agentclientprotocol/sdk";
import { update } from "../../lib/acp/index.ts";
import { webMessageLink } from "../../lib/index.ts";
import { hubOf, type HubHarness } from "../support/hub/hub-harness.ts";
import { scriptedAgent } from "../support/serve/scripted-agent.ts";
import { cwd } from "../support/serve/test-server.ts";

/** A client of the official SDK, which allows everything it is asked, or never answers. */
async function official({ hub }: HubHarness, answers: boolean) {
  const there = new TransformStream<object, object>();
  const back = new TransformStream<object, object>();
  hub.connect(webMessageLink({ readable: back.readable, writable: there.writable }), { role: "owner" });
  const texts: string[] = [];
  const seen = { texts, cancelled: 0 };
  const app = acp.client({ name: "official" });
  app.onNotification("session/update", ({ params }) => {
    if (params.update.sessionUpdate === "agent_message_chunk" && params.update.content.type === "text")
      texts.push(params.update.content.text);
  });
  app.onRequest("session/request_permission", ({ signal }) => {
    if (answers) return { outcome: { outcome: "selected", optionId: "yes" } };
    return new Promise((resolve) =>
      signal.addEventListener("abort", () => {
        seen.cancelled++;
        resolve({ outcome: { outcome: "cancelled" } });
      }),
    );
  });
  // The streams carry JSON-RPC messages, which is what the SDK's stream type says.
  const connection = app.connect({ readable: there.readable, writable: back.writable } as acp.Stream);
  await connection.agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  return { ...connection, request: connection.agent.request.bind(connection.agent), seen };
}

describe("clients of the official SDK at the hub", () => {
  it("two official clients share a session: one prompts, the other answers, both see the turn", async () => {
    const player = scriptedAgent(async ({ ask, show }) => {
      const answer = await ask({ toolCallId: "t1", title: "Edit" });
      await show(update.agentMessage(`${answer}!`));
    });
    const harness = hubOf(player);
    const [a, b] = [await official(harness, false), await official(harness, true)];
    const { sessionId } = await a.request<acp.NewSessionResponse>("session/new", { cwd, mcpServers: [] });
    await b.request("session/load", { sessionId, cwd, mcpServers: [] });
    const prompt = [{ type: "text", text: "go" }];
    const { stopReason } = await a.request<acp.PromptResponse>("session/prompt", { sessionId, prompt });
    assert.equal(stopReason, "end_turn");
    assert.deepEqual([a.seen.texts, a.seen.cancelled], [["yes!"], 1]);
    const { sessions } = await b.request<acp.ListSessionsResponse>("session/list", {});
    assert.equal(sessions[0]?.sessionId, sessionId);
    assert.deepEqual(b.seen.texts, ["yes!"]);
    await harness.close();
    assert.deepEqual(harness.bugs, []);
  });
});
