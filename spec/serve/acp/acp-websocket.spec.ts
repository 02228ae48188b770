/**
 * Specs of ACP over WebSocket at `/acp`: the official SDK's client, access, tickets and
 * the rules of the transport.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { after, describe, it } from "node:test";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { WebSocket } from "ws";
import { webSocketLink } from "../../../lib/index.ts";
import type { AcpConnectionInfo } from "../../../lib/serve/index.ts";
import type { Schedule } from "../../../lib/wire/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { echoAgent } from "../../support/serve/echo-agent.ts";
import { echoClient, officialEchoClient } from "../../support/serve/echo-client.ts";
import { served, token } from "../../support/serve/test-server.ts";

const authorized = { headers: { authorization: `Bearer ${token}` } };
const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } };

describe("ACP over WebSocket at /acp", async () => {
  const connections: AcpConnectionInfo[] = [];
  const observerToken = "a-token-for-observers";
  const server = await served({
    startAgent: echoAgent,
    observerToken,
    onConnection: (link, info) => {
      connections.push(info);
      echoAgent(link);
    },
  });
  after(server.close);
  const url = `${server.url.replace("http", "ws")}acp`;

  async function opened(protocols: readonly string[] = [], headers: object = authorized): Promise<WebSocket> {
    const socket = new WebSocket(url, [...protocols], headers);
    await once(socket, "open");
    return socket;
  }

  async function statusOf(
    address: string,
    headers: Readonly<Record<string, string>>,
    protocols: string[] = [],
  ): Promise<number> {
    const socket = new WebSocket(address, protocols, { headers });
    socket.on("error", () => {});
    const [, response] = (await once(socket, "unexpected-response")) as [unknown, { readonly statusCode: number }];
    return response.statusCode;
  }

  async function say(socket: WebSocket, message: unknown): Promise<any> {
    socket.send(typeof message === "string" ? message : JSON.stringify(message));
    const [data] = (await once(socket, "message")) as [Buffer];
    return JSON.parse(data.toString());
  }

  it("the WebSocket at /acp serves the official SDK's client", async () => {
    const stream = createWebSocketStream(url, { WebSocket: WebSocket as never, ...authorized });
    const { app, texts } = officialEchoClient();
    await app.connectWith(stream, async (remote) => {
      await remote.request("initialize", { protocolVersion: 1 });
      const { sessionId } = await remote.request("session/new", { cwd: "/", mcpServers: [] });
      const prompt = [{ type: "text" as const, text: "a ü 🪢" }];
      assert.deepEqual(await remote.request("session/prompt", { sessionId, prompt }), { stopReason: "end_turn" });
    });
    assert.deepEqual(texts, ["a ü 🪢"]);
  });

  it("the WebSocket at /acp serves our own client, and gives each connection an id of its own", async () => {
    let header: string | undefined;
    const link = webSocketLink(url, {
      ...authorized,
      onResponse: ({ headers }) => (header = headers["acp-connection-id"]?.toString()),
    });
    const { connection, texts, close } = await echoClient(link);
    const { sessionId } = await connection.call("session/new", { cwd: "/", mcpServers: [] });
    for (let i = 0; i < 100; i++) await connection.prompt({ sessionId, prompt: [{ type: "text", text: String(i) }] });
    assert.deepEqual(
      texts,
      Array.from({ length: 100 }, (_, i) => String(i)),
    );
    assert.equal(header, connections.at(-1)?.connectionId);
    assert.equal(new Set(connections.map(({ connectionId }) => connectionId)).size, connections.length);
    await close();
  });

  it("the WebSocket at /acp refuses a handshake without the token, with a wrong one, a foreign Host or Origin, or another path", async () => {
    assert.equal(await statusOf(url, {}), 401);
    assert.equal(await statusOf(url, { authorization: "Bearer wrong" }), 401);
    assert.equal(await statusOf(`${url}?token=${token}`, {}), 401);
    assert.equal(await statusOf(url, { ...authorized.headers, host: "evil.example" }), 403);
    assert.equal(await statusOf(url, { ...authorized.headers, origin: "http://evil.example" }), 403);
    assert.equal(await statusOf(url.replace("/acp", "/sessions"), authorized.headers), 404);
  });

  it("the WebSocket at /acp accepts a ticket as a subprotocol, once", async () => {
    const { status, json } = await server.call("POST", "/tickets");
    assert.equal(status, 201);
    const protocols = ["acp.v1", `bowline.ticket.${json.ticket}`];
    const socket = await opened(protocols, {});
    assert.equal(socket.protocol, "acp.v1");
    assert.equal(connections.at(-1)?.role, "owner");
    assert.equal(await statusOf(url, {}, protocols), 401);
    socket.terminate();
  });

  it("the WebSocket at /acp issues no ticket without the token, and gives an observer's ticket the observer's role", async () => {
    assert.equal((await server.call("POST", "/tickets", { headers: { authorization: undefined } })).status, 401);
    const { json } = await server.call("POST", "/tickets", { headers: { authorization: `Bearer ${observerToken}` } });
    const socket = await opened(["acp.v1", `bowline.ticket.${json.ticket}`], {});
    assert.equal(connections.at(-1)?.role, "observer");
    socket.terminate();
    const other = await server.call("POST", "/sessions", { headers: { authorization: `Bearer ${observerToken}` } });
    assert.equal(other.status, 403);
  });

  it("the WebSocket at /acp closes with 1002 when the first message is not initialize", async () => {
    for (const first of [
      { jsonrpc: "2.0", id: 1, method: "session/new" },
      { jsonrpc: "2.0", method: "initialize" },
    ]) {
      const socket = await opened();
      socket.send(JSON.stringify(first));
      const [code] = (await once(socket, "close")) as [number];
      assert.equal(code, 1002);
    }
  });

  it("the WebSocket at /acp answers a parse error, an array and a second initialize, and goes on", async () => {
    const socket = await opened();
    assert.equal((await say(socket, "{")).error.code, -32700);
    assert.equal((await say(socket, initialize)).id, 0);
    assert.deepEqual(await say(socket, [initialize]), {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32600, message: "JSON-RPC batches are not supported" },
    });
    const again = await say(socket, { ...initialize, id: 5 });
    assert.deepEqual([again.id, again.error.code], [5, -32600]);
    assert.equal(
      (await say(socket, { jsonrpc: "2.0", id: 6, method: "session/new", params: { cwd: "/", mcpServers: [] } })).result
        .sessionId,
      "s1",
    );
    socket.terminate();
  });

  it("the WebSocket at /acp closes a connection whose handshake does not arrive in time", async () => {
    const own = await served({
      startAgent: echoAgent,
      onConnection: (link) => void echoAgent(link),
      headerTimeoutMs: 100,
    });
    const socket = connect(Number(new URL(own.url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write("GET /acp HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n");
    socket.resume();
    await once(socket, "close");
    await own.close();
  });

  it("the WebSocket at /acp closes with 1008 when a client answers no ping, and when it reads nothing that it was sent", async () => {
    const clock = fakeClock();
    const pingMs = 100;
    const maxStallMs = 200;
    let onBlocked = (): void => {};
    const blocked = new Promise<void>((resolve) => (onBlocked = resolve));
    const after: Schedule = (delayMs, run) => {
      if (delayMs === maxStallMs) onBlocked();
      return clock.after(delayMs, run);
    };
    const own = await served({ startAgent: echoAgent, webSocket: { pingMs, maxStallMs, after } });
    const address = `${own.url.replace("http", "ws")}acp`;
    const codeOf = async (socket: WebSocket): Promise<number> => ((await once(socket, "close")) as [number])[0];
    const silent = new WebSocket(address, [], { ...authorized, autoPong: false });
    await once(silent, "open");
    const code = codeOf(silent);
    clock.advance(3 * pingMs);
    assert.equal(await code, 1008);
    const deaf = new WebSocket(address, [], authorized);
    await once(deaf, "open");
    await say(deaf, initialize);
    const params = { cwd: tmpdir(), mcpServers: [] };
    const { result } = await say(deaf, { jsonrpc: "2.0", id: 1, method: "session/new", params });
    deaf.pause();
    const prompt = [{ type: "text", text: "x".repeat(24 << 20) }];
    deaf.send(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "session/prompt", params: { ...result, prompt } }));
    await blocked;
    clock.advance(maxStallMs);
    deaf.resume();
    assert.equal(await codeOf(deaf), 1008);
    await own.close();
    assert.deepEqual(own.bugs, []);
  });

  it("the WebSocket at /acp closes with 1001 when the server ends", async () => {
    const own = await served({ startAgent: echoAgent, onConnection: (link) => void echoAgent(link) });
    const socket = new WebSocket(`${own.url.replace("http", "ws")}acp`, [], authorized);
    await once(socket, "open");
    const closing = once(socket, "close");
    await own.close();
    const [code] = (await closing) as [number];
    assert.equal(code, 1001);
  });

  it("the WebSocket at /acp answers 1,000 connection attempts without the token, and then one with it", async () => {
    const own = await served({ startAgent: echoAgent, onConnection: (link) => void echoAgent(link) });
    const address = `${own.url.replace("http", "ws")}acp`;
    let refused = 0;
    const attempt = (): Promise<void> =>
      new Promise((resolve) => {
        const socket = new WebSocket(address);
        socket.on("error", () => resolve());
        socket.on("unexpected-response", (_request, response) => {
          if (response.statusCode === 401) refused++;
          response.destroy();
          resolve();
        });
      });
    for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 100 }, attempt));
    assert.ok(refused > 900, `${refused} were answered with 401`);
    const socket = new WebSocket(address, [], authorized);
    await once(socket, "open");
    assert.equal((await say(socket, initialize)).id, 0);
    await own.close();
  });
});
