/**
 * Specs of ACP over streamable HTTP at `/acp`: the official SDK's client, our own, and the
 * status codes of the transport.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, describe, it } from "node:test";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { httpLink } from "../../../lib/index.ts";
import { AcpHttpConnection } from "../../../lib/serve/acp/acp-http-connection.ts";
import { HeldBytes } from "../../../lib/serve/held-bytes.ts";
import { realTimer } from "../../../lib/wire/index.ts";
import { at } from "../../support/json.ts";
import { settle } from "../../support/wire/link-log.ts";
import { echoAgent } from "../../support/serve/echo-agent.ts";
import { echoClient, type EchoClient, officialEchoClient } from "../../support/serve/echo-client.ts";
import { type Answer, served, token } from "../../support/serve/test-server.ts";

const headers = { authorization: `Bearer ${token}` };
const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } };

const ourClient = (url: string): Promise<EchoClient> => echoClient(httpLink(url, { headers }));

describe("ACP over streamable HTTP at /acp", async () => {
  const server = await served({ startAgent: echoAgent, onConnection: (link) => void echoAgent(link) });
  after(server.close);
  const url = `${server.url}acp`;

  const post = (body: unknown, more: Record<string, string | undefined> = {}): Promise<Answer> =>
    server.call("POST", "/acp", { body, headers: more });

  async function opened(): Promise<string> {
    const { headers: given } = await post(initialize);
    return String(given["acp-connection-id"]);
  }

  it("the server at /acp serves the official SDK's client: prompts, updates and permission requests", async () => {
    const { app, texts } = officialEchoClient();
    await app.connectWith(createHttpStream(url, { headers }), async (remote) => {
      await remote.request("initialize", { protocolVersion: 1 });
      const { sessionId } = await remote.request("session/new", { cwd: "/", mcpServers: [] });
      for (const text of ["one", "ask", "three"]) {
        const answer = await remote.request("session/prompt", { sessionId, prompt: [{ type: "text" as const, text }] });
        assert.deepEqual(answer, { stopReason: "end_turn" });
      }
    });
    assert.deepEqual(texts, ["one", "selected", "three"]);
  });

  it("the server at /acp serves our own client: prompts, updates, permission requests and files", async () => {
    const { connection, texts, close } = await ourClient(url);
    const { sessionId } = await connection.call("session/new", { cwd: "/", mcpServers: [] });
    for (const text of ["one", "ask", "read /a"])
      await connection.prompt({ sessionId, prompt: [{ type: "text", text }] });
    assert.deepEqual(texts, ["one", "selected", "/a"]);
    await close();
  });

  it("the server at /acp answers initialize with 200 and the connection's id, and everything else with 202", async () => {
    const answer = await post(initialize);
    assert.equal(answer.status, 200);
    assert.equal(answer.json.id, 0);
    const id = String(answer.headers["acp-connection-id"]);
    const other = await post(
      { jsonrpc: "2.0", id: 1, method: "session/new", params: { cwd: "/", mcpServers: [] } },
      { "acp-connection-id": id },
    );
    assert.deepEqual([other.status, other.text], [202, ""]);
    const stream = await server.stream("GET", "/acp", {
      headers: { accept: "text/event-stream", "acp-connection-id": id },
    });
    await stream.until(() => stream.events.length === 1);
    assert.deepEqual(stream.events[0]?.packet, { jsonrpc: "2.0", id: 1, result: { sessionId: "s1" } });
    stream.response.destroy();
  });

  it("the server at /acp answers wrong requests with the status of the transport", async () => {
    const id = await opened();
    const connection = { "acp-connection-id": id };
    const prompt = { jsonrpc: "2.0", id: 3, method: "session/prompt", params: { sessionId: "s1", prompt: [] } };
    assert.equal((await post(initialize, { "content-type": "text/plain" })).status, 415);
    assert.equal((await post(initialize, { authorization: undefined })).status, 401);
    assert.equal((await post(prompt)).status, 400, "no connection");
    assert.equal((await post(prompt, { "acp-connection-id": "unknown" })).status, 404);
    assert.equal((await post(initialize, connection)).status, 400, "a second initialize");
    assert.equal((await post(prompt, connection)).status, 400, "no session");
    assert.equal((await post(prompt, { ...connection, "acp-session-id": "other" })).status, 400);
    assert.equal((await post("{", connection)).status, 400);
    assert.equal((await post("3", connection)).status, 400);
    const batch = await post([initialize]);
    assert.deepEqual([batch.status, batch.json.error.code], [400, -32600]);
    assert.equal((await server.call("GET", "/acp", { headers: connection })).status, 406);
    const accept = "text/event-stream";
    assert.equal((await server.call("GET", "/acp", { headers: { accept } })).status, 400);
    assert.equal(
      (await server.call("GET", "/acp", { headers: { accept, "acp-connection-id": "unknown" } })).status,
      404,
    );
    const stream = await server.stream("GET", "/acp", { headers: { accept, ...connection } });
    assert.equal((await server.call("GET", "/acp", { headers: { accept, ...connection } })).status, 409);
    stream.response.destroy();
    assert.equal((await server.call("PUT", "/acp")).status, 405);
    assert.equal((await server.call("DELETE", "/acp", { headers: connection })).status, 202);
    assert.equal((await server.call("DELETE", "/acp", { headers: connection })).status, 404);
  });

  it("the messages of a session need its header, and so does the answer to a question of the session", async () => {
    const connection = { "acp-connection-id": await opened() };
    const session = { ...connection, "acp-session-id": "s1" };
    const methods = ["cancel", "close", "delete", "fork", "load", "prompt", "resume", "set_config_option", "set_mode"];
    for (const method of [...methods.map((name) => `session/${name}`), "session/set_model"])
      assert.equal((await post({ jsonrpc: "2.0", id: 1, method, params: {} }, connection)).status, 400, method);
    const extension = { jsonrpc: "2.0", id: 1, method: "_own/method", params: { sessionId: "s1" } };
    assert.equal((await post(extension, connection)).status, 400, "whatever names a session");
    assert.equal((await post({ ...extension, id: "x".repeat(1025) }, session)).status, 400, "an id over 1,024");
    const stream = await server.stream("GET", "/acp", { headers: { accept: "text/event-stream", ...session } });
    const prompt = [{ type: "text", text: "ask" }];
    await post({ jsonrpc: "2.0", id: 2, method: "session/prompt", params: { sessionId: "s1", prompt } }, session);
    await stream.until(() => stream.events.length === 1);
    const id = at(stream.events[0]?.packet, "id");
    const answer = { jsonrpc: "2.0", id, result: { outcome: { outcome: "selected", optionId: "allow" } } };
    assert.equal((await post(answer, connection)).status, 400);
    assert.equal((await post(answer, { ...connection, "acp-session-id": "s2" })).status, 400);
    assert.equal((await post(answer, session)).status, 202);
    await stream.until(() => stream.events.length === 3);
    assert.match(JSON.stringify(stream.events[1]?.packet), /"selected"/);
    stream.response.destroy();
  });

  it("a reader that comes back with its last event gets exactly what it has missed", async () => {
    const id = await opened();
    const connection = { "acp-connection-id": id, "acp-session-id": "s1" };
    const get = { accept: "text/event-stream", ...connection };
    const prompt = (n: number): Promise<Answer> =>
      post(
        {
          jsonrpc: "2.0",
          id: n,
          method: "session/prompt",
          params: { sessionId: "s1", prompt: [{ type: "text", text: String(n) }] },
        },
        connection,
      );
    const first = await server.stream("GET", "/acp", { headers: get });
    await prompt(1);
    await first.until(() => first.events.length === 2);
    const second = await server.stream("GET", "/acp", { headers: { ...get, "last-event-id": "1" } });
    await prompt(2);
    await second.until(() => second.events.length === 3);
    assert.deepEqual(
      second.events.map((event) => event.id),
      [2, 3, 4],
    );
    second.response.destroy();
  });

  it("a stream that is cut by a proxy is opened again by httpLink, and nothing is lost or doubled", async () => {
    const { cuttingProxy } = await import("../../support/serve/cutting-proxy.ts");
    const proxy = await cuttingProxy(Number(new URL(server.url).port));
    const { connection, texts } = await ourClient(`http://localhost:${proxy.port}/acp`);
    const { sessionId } = await connection.call("session/new", { cwd: "/", mcpServers: [] });
    for (let i = 0; i < 5; i++) {
      const done = connection.prompt({ sessionId, prompt: [{ type: "text", text: String(i) }] });
      proxy.cutStreams();
      await done;
    }
    assert.deepEqual(
      texts,
      Array.from({ length: 5 }, (_, i) => String(i)),
    );
    connection.close("done");
    await connection.settled;
    proxy.close();
  });

  it("a connection can be used only with the kind of token that opened it", async () => {
    const own = await served({ startAgent: echoAgent, observerToken: "a-token-of-observers" });
    const watcher = { authorization: "Bearer a-token-of-observers" };
    const accept = { accept: "text/event-stream" };
    const idOf = async (more: Record<string, string>): Promise<Record<string, string>> => {
      const { headers: given } = await own.call("POST", "/acp", { body: initialize, headers: more });
      return { "acp-connection-id": String(given["acp-connection-id"]) };
    };
    const [owners, watchers] = [await idOf({}), await idOf(watcher)];
    const list = { jsonrpc: "2.0", id: 1, method: "session/list", params: {} };
    const all = (more: Record<string, string>): Promise<readonly number[]> =>
      Promise.all([
        own.call("POST", "/acp", { body: list, headers: more }),
        own.call("GET", "/acp", { headers: { ...accept, ...more } }),
        own.call("DELETE", "/acp", { headers: more }),
      ]).then((answers) => answers.map(({ status }) => status));
    assert.deepEqual(await all({ ...owners, ...watcher }), [404, 404, 404]);
    assert.deepEqual(await all(watchers), [404, 404, 404]);
    assert.equal((await own.call("DELETE", "/acp", { headers: owners })).status, 202);
    assert.equal((await own.call("DELETE", "/acp", { headers: { ...watchers, ...watcher } })).status, 202);
    await own.close();
  });

  it("a client that opens too many streams loses its connection, and nothing else happens", async () => {
    let isClosed = false;
    const connection = new AcpHttpConnection({
      after: realTimer,
      held: new HeldBytes(),
      onClosed: () => (isClosed = true),
    });
    const { agentEnd } = connection;
    agentEnd.open({
      onLine: (line) => agentEnd.send(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(line).id, result: {} })),
      onFault: () => {},
      onDrain: () => {},
      onEnd: () => {},
      onClose: () => {},
    });
    for (let id = 0; id < 1024; id++) connection.take({ jsonrpc: "2.0", id, method: "session/list" }, `stream-${id}`);
    await settle();
    assert.equal(isClosed, false);
    connection.take({ jsonrpc: "2.0", id: "last", method: "session/list" }, undefined);
    await settle();
    assert.equal(isClosed, true);
  });

  it("the server at /acp ends every stream when the server ends", async () => {
    const own = await served({ startAgent: echoAgent, onConnection: (link) => void echoAgent(link) });
    const { headers: given } = await own.call("POST", "/acp", { body: initialize });
    const stream = await own.stream("GET", "/acp", {
      headers: { accept: "text/event-stream", "acp-connection-id": String(given["acp-connection-id"]) },
    });
    const ended = once(stream.response, "close");
    await own.close();
    await ended;
  });
});
