/**
 * Our WebSocket and HTTP links against the official SDK's server, and its client against ours.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { agent } from "@agentclientprotocol/sdk";
import { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { WebSocket, WebSocketServer } from "ws";
import { httpLink, type Link, webSocketLink, webSocketServerLink } from "../../lib/index.ts";
import { echoAgent } from "../support/serve/echo-agent.ts";
import { echoClient, officialEchoClient } from "../support/serve/echo-client.ts";

function officialAgent(): ReturnType<typeof agent> {
  return agent()
    .onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: {} }))
    .onRequest("session/new", () => ({ sessionId: "s1" }))
    .onRequest("session/prompt", async ({ params, client: remote }) => {
      const { sessionId } = params;
      const toolCall = { toolCallId: "t1", title: "Ask" };
      const options = [{ optionId: "allow", name: "Allow", kind: "allow_once" as const }];
      const answer: unknown = await remote.request("session/request_permission", { sessionId, toolCall, options });
      const text = /"outcome":"selected"/.test(JSON.stringify(answer)) ? "selected" : "not selected";
      const content = { type: "text" as const, text };
      await remote.notify("session/update", { sessionId, update: { sessionUpdate: "agent_message_chunk", content } });
      return { stopReason: "end_turn" as const };
    });
}

describe("the official SDK's server", async () => {
  const acp = new AcpServer({ createAgent: officialAgent });
  const server = createServer(createNodeHttpHandler(acp));
  server.on("upgrade", createNodeWebSocketUpgradeHandler(acp, new WebSocketServer({ noServer: true })));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(async () => {
    await acp.close();
    server.close();
    server.closeAllConnections();
  });
  // A server on a TCP port has an AddressInfo.
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}/acp`;
  const links: readonly (readonly [string, () => Link])[] = [
    ["webSocketLink", () => webSocketLink(`ws://${address}`)],
    ["httpLink", () => httpLink(`http://${address}`)],
  ];

  for (const [name, link] of links) {
    it(`the official SDK's server serves a client on ${name}: prompts, updates and permission requests`, async () => {
      const { connection, texts, close } = await echoClient(link());
      const { sessionId } = await connection.call("session/new", { cwd: "/", mcpServers: [] });
      for (let i = 0; i < 3; i++) {
        const { stopReason } = await connection.prompt({ sessionId, prompt: [{ type: "text", text: "go" }] });
        assert.equal(stopReason, "end_turn");
      }
      assert.deepEqual(texts, ["selected", "selected", "selected"]);
      await close();
    });
  }
});

describe("webSocketServerLink in a server of one's own", () => {
  it("webSocketServerLink serves the official SDK's client: prompts, updates and permission requests", async () => {
    const server = createServer();
    server.on("upgrade", (request, socket, head) => {
      const link = webSocketServerLink({ request, socket, head });
      if (link !== undefined) echoAgent(link);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    // A server on a TCP port has an AddressInfo.
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/acp`;
    const { app, texts } = officialEchoClient();
    await app.connectWith(createWebSocketStream(url, { WebSocket: WebSocket as never }), async (remote) => {
      await remote.request("initialize", { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true } } });
      const { sessionId } = await remote.request("session/new", { cwd: "/", mcpServers: [] });
      for (const text of ["one", "ask", "read /a"])
        await remote.request("session/prompt", { sessionId, prompt: [{ type: "text" as const, text }] });
    });
    assert.deepEqual(texts, ["one", "selected", "/a"]);
    server.closeAllConnections();
    server.close();
  });
});
