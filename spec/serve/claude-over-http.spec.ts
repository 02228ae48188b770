/**
 * Recordings of the CLI played through the agent and the HTTP server.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Packet, StoredPacket } from "../../lib/packets/index.ts";
import { served, type Served } from "../support/serve/test-server.ts";
import { tapedClaude } from "../support/serve/tape-agent.ts";

async function onTape(name: string, run: (harness: Served, path: string) => Promise<void>): Promise<void> {
  const claude = tapedClaude(name);
  const harness = await served({ startAgent: claude.start });
  try {
    await run(harness, await harness.open());
  } finally {
    await harness.close();
  }
  assert.deepEqual([claude.bugs, harness.bugs], [[], []]);
  assert.equal(claude.playing(), 0, "every CLI was ended");
}

const hi = { body: { content: "hi" } };

describe("recorded sessions over HTTP", () => {
  it("a recorded edit asks for permission, changes the file when allowed, and ends", () =>
    onTape("edit", async (harness, path) => {
      const stream = await harness.stream("POST", `${path}/send-message`, hi);
      await stream.untilPacket("permission_request");
      const { requestId, content } = stream.packet("permission_request");
      assert.deepEqual([content[0].oldText, content[0].newText], ["world", "planet"]);
      await harness.call("POST", `${path}/permissions/${requestId}`, { body: { optionId: "allow" } });
      await stream.over();
      assert.equal(stream.packet("tool_call_progress").status, "completed");
      assert.equal(stream.packet("prompt_response").stopReason, "end_turn");
      for (const { packet } of stream.events) assert.equal(Packet.read(packet), packet);
      const { messages } = (await harness.call("GET", `${path}/messages`)).json;
      for (const packet of messages) assert.equal(StoredPacket.read(packet), packet);
    }));

  it("a recorded command has its exit code in the packets", () =>
    onTape("bash-fails", async (harness, path) => {
      const stream = await harness.stream("POST", `${path}/send-message`, hi);
      await stream.untilPacket("permission_request");
      const { requestId } = stream.packet("permission_request");
      await harness.call("POST", `${path}/permissions/${requestId}`, { body: { optionId: "allow" } });
      await stream.over();
      const { status, rawOutput } = stream.packet("tool_call_progress");
      assert.deepEqual([status, rawOutput.metadata.exit], ["failed", 3]);
    }));

  it("an interrupt stops a recorded turn in the middle of its text", () =>
    onTape("cancelled-mid-text", async (harness, path) => {
      const stream = await harness.stream("POST", `${path}/send-message`, hi);
      await stream.untilPacket("agent_message_chunk");
      await harness.call("POST", `${path}/interrupt`);
      await stream.over();
      assert.equal(stream.packet("prompt_response").stopReason, "cancelled");
    }));

  it("a recorded session without an account fails with one sentence about signing in", async () => {
    const claude = tapedClaude("not-signed-in");
    const harness = await served({ startAgent: claude.start });
    const { status, json } = await harness.call("POST", "/sessions");
    assert.deepEqual([status, json.code], [503, "not_signed_in"]);
    assert.match(json.message, /^Claude is not signed in: run `claude auth login`/);
    assert.equal(claude.playing(), 0);
    await harness.close();
  });

  it("closing the server in the middle of a turn ends every CLI", () =>
    onTape("edit", async (harness, path) => {
      await harness.open();
      const stream = await harness.stream("POST", `${path}/send-message`, hi);
      await stream.untilPacket("permission_request");
    }));

  it("the user can choose the mode of a session", () =>
    onTape("text", async (harness, path) => {
      const { options } = (await harness.call("GET", path)).json;
      const mode = options.find(({ id }: { id: string }) => id === "mode");
      assert.equal(mode.currentValue, "default");
      const wrong = await harness.call("POST", `${path}/options/mode`, { body: { value: "wild" } });
      assert.deepEqual([wrong.status, wrong.json.code], [400, "bad_request"]);
      assert.equal((await harness.call("POST", `${path}/options/nothing`, { body: { value: "x" } })).status, 400);
    }));
});
