/**
 * `bowline connect` over real sockets that are cut, again and again.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { client, update } from "../../../lib/acp/index.ts";
import { Forwarder } from "../../../lib/program/connect/forwarder.ts";
import { pathMap } from "../../../lib/program/connect/path-map.ts";
import { memoryPair, realTimer, webSocketLink } from "../../../lib/wire/index.ts";
import { proxyTo } from "../../support/serve/proxy.ts";
import { scriptedAgent } from "../../support/serve/scripted-agent.ts";
import { cwd, served, token } from "../../support/serve/test-server.ts";

const cuts = 1000;

describe("bowline connect over sockets that are cut", () => {
  it(
    "bowline connect over sockets that are cut loses and doubles no update over 1,000 reconnects",
    { timeout: 300_000 },
    async () => {
      let sent = 0;
      let isOver = false;
      const player = scriptedAgent(async ({ show }) => {
        while (!isOver) {
          await show(update.agentMessage(`${sent++} `));
          await new Promise(setImmediate);
          if (sent % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
      });
      const server = await served({ startAgent: player.start });
      const proxy = await proxyTo(server.url);
      const [editorEnd, forwarderEnd] = memoryPair();
      let connectedCount = 0;
      let onConnected = (): void => {};
      new Forwarder({
        editor: forwarderEnd,
        paths: pathMap([]),
        connect: () => ({
          link: webSocketLink(new URL("acp", proxy.url), { headers: { authorization: `Bearer ${token}` } }),
          refusal: () => undefined,
        }),
        after: realTimer,
        retryMs: () => 1,
        onNotice: (sentence) => {
          if (sentence !== "connected to the server") return;
          connectedCount++;
          onConnected();
        },
      });
      let text = "";
      const editor = await client(editorEnd, {
        info: { name: "reconnects", version: "1" },
        handlers: () => ({
          "session/update": ({ update: one }) => {
            if (one.sessionUpdate === "agent_message_chunk" && one.content.type === "text") text += one.content.text;
          },
          "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
        }),
      });
      const { sessionId } = await editor.call("session/new", { cwd, mcpServers: [] });
      const turn = editor.prompt({ sessionId, prompt: [{ type: "text", text: "go" }] });
      for (let i = 0; i < cuts; i++) {
        const connected = new Promise<void>((resolve) => (onConnected = resolve));
        proxy.cut();
        proxy.restore();
        await connected;
        // A cut hits the handshake, the replay or the stream.
        if (i % 3 !== 0) await new Promise((resolve) => setTimeout(resolve, i % 7));
      }
      isOver = true;
      assert.equal((await turn).stopReason, "end_turn");
      const numbers = text.trimEnd().split(" ").map(Number);
      const wrong = numbers.findIndex((number, i) => number !== i);
      assert.equal(
        wrong,
        -1,
        `after ${numbers.slice(Math.max(0, wrong - 3), wrong).join(" ")} came ${numbers.slice(wrong, wrong + 3).join(" ")}`,
      );
      assert.equal(numbers.length, sent);
      assert.ok(connectedCount >= cuts);
      editor.close("done");
      proxy.close();
      await server.close();
      assert.deepEqual(server.bugs, []);
    },
  );
});
