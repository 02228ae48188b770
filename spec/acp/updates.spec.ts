/**
 * Specs of updates: how an agent's updates reach the client, also a slow client, and
 * which config options it may not send.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configOption, type SessionUpdate, update } from "../../lib/acp/index.ts";
import { ConnectionClosed } from "../../lib/rpc/index.ts";
import { gate } from "../support/rpc/peer-pair.ts";
import { quiet } from "../support/rpc/raw-peer.ts";
import { type AgentParts, agentOverRaw, rolePair } from "../support/acp/roles.ts";

describe("an agent's updates", () => {
  it("an agent's updates are sent in order, and all before the response to the prompt", async () => {
    const { far } = await agentOverRaw({
      handlers: (client) => ({
        "session/prompt": ({ sessionId }) => {
          for (let i = 0; i < 50; i++) void client.update(sessionId, update.agentMessage(String(i)));
          return { stopReason: "end_turn" };
        },
      }),
    });
    far.tell({ id: 7, method: "session/prompt", params: { sessionId: 'a"b', prompt: [] } });
    for (let i = 0; i < 50; i++) {
      const content = { type: "text", text: String(i) };
      assert.deepEqual(await far.hear(), {
        method: "session/update",
        params: { sessionId: 'a"b', update: { sessionUpdate: "agent_message_chunk", content } },
      });
    }
    assert.deepEqual(await far.hear(), { id: 7, result: { stopReason: "end_turn" } });
  });

  it("an agent's updates carry the id of their own session", async () => {
    const { far, toClient } = await agentOverRaw();
    for (const id of ["a", "b", "a"]) void toClient.update(id, update.currentMode(id));
    for (const sessionId of ["a", "b", "a"]) {
      const built = { sessionUpdate: "current_mode_update", currentModeId: sessionId };
      assert.deepEqual(await far.hear(), { method: "session/update", params: { sessionId, update: built } });
    }
  });

  it("an agent's updates reject once the client has left, and an unawaited rejection does not end the process", async () => {
    const { far, toClient } = await agentOverRaw();
    far.close();
    await toClient.closed;
    void toClient.update("a", update.agentMessage("unheard"));
    await assert.rejects(toClient.update("a", update.agentMessage("unheard")), ConnectionClosed);
  });

  it("an agent's updates wait while the client does not read, and all arrive in order when it does", async () => {
    const lagChars = 4096;
    const { far, toClient } = await agentOverRaw({}, {}, {}, { lagChars });
    const total = 2_000;
    let sent = 0;
    far.pause();
    const sending = (async () => {
      for (; sent < total; sent++) await toClient.update("a", update.agentMessage(`${sent}`));
    })();
    await quiet();
    const line = JSON.stringify(update.agentMessage("1000")).length + 90;
    assert.ok(sent > 10 && sent * line < 4 * lagChars, `${sent} updates wait at most`);
    far.resume();
    for (let i = 0; i < total; i++) {
      const content = { type: "text", text: String(i) };
      const built: SessionUpdate = { sessionUpdate: "agent_message_chunk", content: { ...content, type: "text" } };
      assert.deepEqual((await far.hear()).params, { sessionId: "a", update: built });
    }
    await sending;
  });

  it("an agent's updates wait while the client's handler is slow, and the client buffers a bounded number of them", async () => {
    const slow = gate();
    const handled: SessionUpdate[] = [];
    const { toClient } = await rolePair(
      {},
      {
        handlers: () => ({
          "session/update": async ({ update }) => {
            await slow.opened;
            handled.push(update);
          },
        }),
      },
      { maxWaiting: 8 },
      { lagChars: 4096 },
    );
    let sent = 0;
    const sending = (async () => {
      for (; sent < 2_000; sent++) await toClient.update("a", update.currentMode(`${sent}`));
    })();
    await quiet();
    assert.ok(sent < 200, `${sent} updates wait at most`);
    slow.open();
    await sending;
    while (handled.length < 2_000) await quiet();
    assert.deepEqual(
      handled.map((each) => each.sessionUpdate === "current_mode_update" && each.currentModeId),
      Array.from({ length: 2_000 }, (_, i) => String(i)),
    );
  });
});

describe("an agent's config options", () => {
  const select = configOption.select("model", [], { name: "Model", currentValue: "fast" });
  const boolean = configOption.boolean("web", { name: "Web", currentValue: true });
  const configOptions = [select, boolean];
  const parts: AgentParts = {
    handlers: () => ({
      "session/new": () => ({ sessionId: "new", configOptions }),
      "session/load": () => ({ configOptions }),
      "session/resume": () => ({ configOptions }),
      "session/fork": () => ({ sessionId: "fork", configOptions }),
      "session/set_config_option": () => ({ configOptions }),
    }),
  };
  const session = { cwd: "/project", mcpServers: [] };
  const asked: Readonly<Record<string, object>> = {
    "session/new": session,
    "session/load": { ...session, sessionId: "a" },
    "session/resume": { ...session, sessionId: "a" },
    "session/fork": { ...session, sessionId: "a" },
    "session/set_config_option": { sessionId: "a", configId: "model", value: "fast" },
  };

  for (const [method, params] of Object.entries(asked)) {
    it(`an agent's config options lose the booleans in the response to ${method}, unless the client shows them`, async () => {
      const plain = await agentOverRaw(parts);
      assert.deepEqual(Object((await plain.far.ask(method, params)).result).configOptions, [select]);
      const able = await agentOverRaw(parts, { session: { configOptions: { boolean: {} } } });
      assert.deepEqual(Object((await able.far.ask(method, params)).result).configOptions, configOptions);
    });
  }

  it("an update with config options is refused as a whole by a client that does not show booleans", async () => {
    const { far, toClient } = await agentOverRaw();
    await assert.rejects(toClient.update("a", update.configOptions(configOptions)), { code: -32601 });
    await quiet();
    assert.deepEqual(far.waiting, []);
    await toClient.update("a", update.configOptions([select]));
    assert.equal((await far.hear()).method, "session/update");
  });

  it("an agent's config options may be left out of a response that is null", async () => {
    // A handler written without types returns null, as the docs show.
    const untyped: object = { "session/load": () => null };
    const { far } = await agentOverRaw({ handlers: () => untyped });
    assert.deepEqual(await far.ask("session/load", { ...session, sessionId: "a" }), { result: null });
  });
});
