/**
 * What the holder of an observer's token can do over HTTP.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { update } from "../../lib/acp/index.ts";
import { scriptedAgent } from "../support/serve/scripted-agent.ts";
import { served, visitor } from "../support/serve/test-server.ts";

const observerToken = "a-token-for-observers";

describe("an observer's token over HTTP", () => {
  it("an observer reads the open sessions and follows their events", async () => {
    const player = scriptedAgent(async ({ ask, show }) => show(update.agentMessage(await ask({ toolCallId: "t1" }))));
    const harness = await served({ startAgent: player.start, observerToken });
    const observer = visitor(harness.url, observerToken);
    const path = await harness.open();
    const events = await observer.stream("GET", `${path}/events`);
    const turn = await harness.stream("POST", `${path}/send-message`, { body: { content: "go" } });
    await events.untilPacket("permission_request");
    assert.equal((await observer.call("GET", "/questions")).json.questions.length, 1);
    const { requestId } = turn.packet("permission_request");
    await harness.call("POST", `${path}/permissions/${requestId}`, { body: { optionId: "yes" } });
    await events.untilPacket("prompt_response");
    assert.equal(events.packet("agent_message_chunk").content.text, "yes");
    for (const read of ["/sessions", path, `${path}/messages`, `${path}/artifacts`, "/agents", "/metrics"])
      assert.equal((await observer.call("GET", read)).status, 200, read);
    assert.equal((await observer.call("GET", "/about")).json.role, "observer");
    assert.deepEqual((await observer.call("GET", "/saved")).json, { sessions: [] });
    events.leave();
    await harness.close();
  });

  it("an observer's requests that would change something get 403 and change nothing", async () => {
    const player = scriptedAgent(async ({ ask }) => void (await ask({ toolCallId: "t1" })));
    const harness = await served({ startAgent: player.start, observerToken });
    const observer = visitor(harness.url, observerToken);
    const path = await harness.open();
    const turn = await harness.stream("POST", `${path}/send-message`, { body: { content: "go" } });
    await turn.untilPacket("permission_request");
    const [{ id }] = (await observer.call("GET", "/questions")).json.questions;
    const { requestId } = turn.packet("permission_request");
    const refused = [
      ["POST", "/sessions", {}],
      ["POST", `${path}/send-message`, { content: "hi" }],
      ["POST", `${path}/permissions/${requestId}`, { optionId: "yes" }],
      ["POST", `${path}/forms/${requestId}`, { action: "cancel" }],
      ["POST", `/questions/${id}`, { optionId: "yes" }],
      ["POST", `${path}/interrupt`, {}],
      ["POST", `${path}/options/mode`, { value: "plan" }],
      ["POST", `${path}/title`, { title: "x" }],
      ["POST", `${path}/previews`, { path: "/x" }],
      ["POST", `${path}/close`, {}],
      ["DELETE", path, undefined],
      ["DELETE", "/saved/x", undefined],
      ["POST", "/saved/x/title", { title: "x" }],
    ] as const;
    for (const [method, target, body] of refused) {
      const { status, json } = await observer.call(method, target, { body });
      assert.deepEqual([status, json.message], [403, "this token may only watch"], `${method} ${target}`);
    }
    assert.equal((await harness.call("GET", path)).json.status, "asking");
    assert.deepEqual([player.closed, player.deleted, player.opened.length], [[], [], 1]);
    await harness.close();
  });
});
