/**
 * Messages that are taken back over HTTP: which prompt of the agent a message is, and what
 * readers of the session see.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { block, update } from "../../lib/acp/index.ts";
import { promptOf } from "../../lib/serve/rewind.ts";
import { PacketHistory, PacketStream } from "../../lib/packets/index.ts";
import { cancelled, scriptedAgent } from "../support/serve/scripted-agent.ts";
import { served } from "../support/serve/test-server.ts";

describe("promptOf", () => {
  const stream = new PacketStream({ now: () => 0 });
  const history = new PacketHistory();
  for (const words of ["go on", "why?", "go on", "/status", "go on"])
    for (const packet of stream.prompt([block.text(words)])) history.add(packet);
  const prompt = (messageId: string, text: string) => ({ messageId, prompt: [block.text(text)] });

  it("a message is matched with the agent's prompt of the same text, counted from the newest", () => {
    // The agent has lost the first prompt in a compaction, and does not list its own command.
    const prompts = [prompt("b", "why?"), prompt("c", "go on"), prompt("d", "go on")];
    const found = (id: string) => promptOf(prompts, history.packets, id);
    assert.deepEqual(["message-5", "message-3", "message-2"].map(found), ["d", "c", "b"]);
    assert.deepEqual(["message-1", "message-4", "message-9"].map(found), [undefined, undefined, undefined]);
  });

  it("a message of a loaded conversation has the agent's own id", () => {
    assert.equal(promptOf([prompt("uuid-1", "x")], history.packets, "uuid-1"), "uuid-1");
  });
});

describe("a message that is taken back", () => {
  it("readers of the events are sent to the messages, which are what is left of the conversation", async () => {
    const player = scriptedAgent(({ show }) => show(update.agentMessage("an answer")));
    player.canRewind = true;
    const harness = await served({ startAgent: player.start });
    const path = await harness.open();
    for (const content of ["one", "two"]) {
      const turn = await harness.stream("POST", `${path}/send-message`, { body: { content } });
      await turn.over();
    }
    const reader = await harness.stream("GET", `${path}/events`);
    await reader.untilPacket("prompt_response");
    const last = { "last-event-id": String(reader.events.at(-1)?.id) };
    const body = { messageId: "message-2", files: true };
    const { json } = await harness.call("POST", `${path}/rewind`, { body });
    assert.deepEqual(json.content, [{ type: "text", text: "two" }]);
    assert.deepEqual(player.rewinds.length, 1);
    await reader.over();
    assert.equal(reader.isBroken, true);
    assert.equal((await harness.call("GET", `${path}/events`, { headers: last })).status, 410);
    const { messages, lastEventId } = (await harness.call("GET", `${path}/messages`)).json;
    assert.deepEqual(
      messages.map(({ content }: { readonly content?: { readonly text: string } }) => content?.text),
      ["one", "an answer"],
    );
    const after = await harness.stream("GET", `${path}/events`, { headers: { "last-event-id": String(lastEventId) } });
    await harness.call("POST", `${path}/send-message`, {
      headers: { accept: "application/json" },
      body: { content: "three" },
    });
    await after.untilPacket("prompt_response");
    assert.equal(after.packet("user_message_chunk").content.text, "three");
    after.leave();
    await harness.close();
    assert.deepEqual(harness.bugs, []);
  });

  it("a rewind is refused while a turn runs, for an unknown message, and where the agent has no rewind", async () => {
    const player = scriptedAgent(cancelled);
    const harness = await served({ startAgent: player.start });
    const path = await harness.open();
    const rewind = async (): Promise<readonly unknown[]> => {
      const { status, json } = await harness.call("POST", `${path}/rewind`, { body: { messageId: "message-1" } });
      return [status, json.message];
    };
    assert.deepEqual(await rewind(), [409, "_session/rewind: no such method"]);
    player.canRewind = true;
    assert.deepEqual(await rewind(), [409, "this message cannot be taken back"]);
    const turn = await harness.stream("POST", `${path}/send-message`, { body: { content: "one" } });
    assert.deepEqual(await rewind(), [409, "a turn runs: stop it first"]);
    await harness.call("POST", `${path}/interrupt`);
    await turn.over();
    await harness.close();
  });
});
