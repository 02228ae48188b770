/**
 * HTTP server: requests and responses, except the event streams.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { update } from "../../lib/acp/index.ts";
import { errorCodes, RpcError } from "../../lib/rpc/index.ts";
import { startServer } from "../../lib/serve/index.ts";
import { scriptedAgent, cancelled, savedId } from "../support/serve/scripted-agent.ts";
import { cwd, type Served, served, token } from "../support/serve/test-server.ts";

describe("access to the server", () => {
  let harness: Served;
  before(
    async () => (harness = await served({ startAgent: scriptedAgent().start, origins: ["http://localhost:5173"] })),
  );
  after(() => harness.close());

  it("a missing or wrong token gets 401 on every route but the page", async () => {
    const paths = [
      "/sessions",
      "/saved",
      "/about",
      "/sessions/x/artifacts",
      "/sessions/x",
      "/sessions/x/messages",
      "/sessions/x/events",
    ];
    for (const authorization of [undefined, "Bearer wrong", `Basic ${token}`]) {
      for (const path of paths) {
        const { status, headers, json } = await harness.call("GET", path, { headers: { authorization } });
        assert.equal(status, 401, path);
        assert.equal(headers["www-authenticate"], "Bearer");
        assert.deepEqual(Object.keys(json), ["type", "message", "code"]);
        assert.equal(json.code, "unauthorized");
      }
    }
    const { status } = await harness.call("POST", "/sessions", { headers: { authorization: undefined } });
    assert.equal(status, 401);
  });

  it("a token in the URL is not accepted", async () => {
    const { status } = await harness.call("GET", `/sessions?token=${token}`, { headers: { authorization: undefined } });
    assert.equal(status, 401);
  });

  it("a foreign Host or Origin gets 403, with or without the token", async () => {
    for (const headers of [{ host: "evil.example" }, { origin: "http://evil.example" }, { origin: "null" }]) {
      for (const path of ["/", "/sessions", "/page/page.js"]) {
        const { status, json } = await harness.call("GET", path, { headers });
        assert.deepEqual([status, json.code], [403, "forbidden"], path);
      }
    }
  });

  it("the page's own origin is answered without CORS headers", async () => {
    const { status, headers } = await harness.call("GET", "/sessions", {
      headers: { origin: harness.url.slice(0, -1) },
    });
    assert.equal(status, 200);
    assert.equal(headers["access-control-allow-origin"], undefined);
  });

  it("an allowed origin gets its preflight answered and may read the response", async () => {
    const origin = "http://localhost:5173";
    const asked = await harness.call("OPTIONS", "/sessions/x/events", {
      headers: { origin, authorization: undefined },
    });
    assert.equal(asked.status, 204);
    assert.equal(asked.headers["access-control-allow-origin"], origin);
    assert.match(String(asked.headers["access-control-allow-headers"]), /authorization.*last-event-id/);
    const { status, headers } = await harness.call("GET", "/sessions", { headers: { origin } });
    assert.deepEqual([status, headers["access-control-allow-origin"], headers.vary], [200, origin, "origin"]);
    const refused = await harness.call("GET", "/sessions", { headers: { origin, authorization: undefined } });
    assert.deepEqual([refused.status, refused.headers["access-control-allow-origin"]], [401, origin]);
  });
});

describe("routes", () => {
  const player = scriptedAgent();
  let harness: Served;
  before(async () => (harness = await served({ startAgent: player.start, maxSessions: 3, maxBodyBytes: 1000 })));
  after(() => harness.close());

  it("an unknown path gets 404, and a wrong method gets 405 with the allowed ones", async () => {
    for (const path of [
      "/x",
      "/sessions/",
      "/sessions/a/b/c/d",
      "/__proto__",
      "/constructor",
      "/page/",
      "/sessions//",
    ]) {
      const { status, json } = await harness.call("GET", path);
      assert.deepEqual([status, json.type, json.code], [404, "error", "not_found"], path);
    }
    for (const [method, path, allow] of [
      ["PUT", "/sessions", "GET, POST"],
      ["DELETE", "/sessions", "GET, POST"],
      ["POST", "/sessions/x", "GET, DELETE"],
      ["GET", "/sessions/x/interrupt", "POST"],
      ["POST", "/", "GET"],
      ["OPTIONS", "/sessions", "GET, POST"],
      ["HEAD", "/sessions", "GET, POST"],
    ] as const) {
      const { status, headers } = await harness.call(method, path);
      assert.deepEqual([status, headers.allow], [405, allow], `${method} ${path}`);
    }
  });

  it("every route of an unknown session gets 404", async () => {
    const id = "00000000-0000-4000-8000-000000000000";
    for (const [method, path, body] of [
      ["GET", `/sessions/${id}`],
      ["DELETE", `/sessions/${id}`],
      ["POST", `/sessions/${id}/close`],
      ["GET", `/sessions/${id}/messages`],
      ["GET", `/sessions/${id}/events`],
      ["POST", `/sessions/${id}/interrupt`],
      ["POST", `/sessions/${id}/permissions/1`, { optionId: "yes" }],
      ["POST", `/sessions/${id}/options/mode`, { value: "plan" }],
      ["POST", `/sessions/${id}/forms/1`, { action: "cancel" }],
      ["POST", `/sessions/${id}/title`, { title: "x" }],
      ["POST", `/sessions/${id}/previews`, { path: "/etc/passwd" }],
      ["GET", `/sessions/${id}/artifacts`],
      ["POST", `/saved/${id}/title`, { title: "x" }],
      ["DELETE", `/saved/${id}`],
      ["GET", "/previews/x/y"],
      ["GET", "/sessions/__proto__"],
      ["GET", "/sessions/..%2f..%2fetc"],
    ] as const) {
      const { status, json } = await harness.call(method, path, { body });
      assert.deepEqual([status, json.code], [404, "not_found"], `${method} ${path}`);
    }
  });

  it("an unreadable body gets 400, 413 or 415", async () => {
    const path = "/sessions";
    const text = { "content-type": "text/plain" };
    assert.equal((await harness.call("POST", path, { body: "{}", headers: text })).status, 415);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    assert.equal((await harness.call("POST", path, { body: "{}", headers: form })).status, 415);
    assert.equal(
      (await harness.call("POST", path, { body: "{}", headers: { "content-type": undefined } })).status,
      415,
    );
    for (const body of ["{", "nothing", Buffer.from([0x7b, 0xff, 0x7d])]) {
      const { status, json } = await harness.call("POST", path, { body });
      assert.deepEqual([status, json.message], [400, "the body must be JSON"]);
    }
    for (const [body, why] of [
      ["[]", "the body must be an object"],
      ["null", "the body must be an object"],
      ['{"cwd":1}', "cwd must be string"],
      ['{"sessionId":""}', "sessionId must be a string that is not empty"],
    ]) {
      const { status, json } = await harness.call("POST", path, { body });
      assert.deepEqual([status, json.message], [400, why]);
    }
    const { status, json } = await harness.call("POST", path, { body: JSON.stringify({ cwd: "x".repeat(2000) }) });
    assert.deepEqual([status, json.code], [413, "too_large"]);
  });

  it("a chunked body without a length is refused when it passes the cap", async () => {
    const { port } = new URL(harness.url);
    const socket = connect(Number(port), "127.0.0.1");
    const head = `POST /sessions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n`;
    socket.write(`${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`);
    const answered = new Promise<string>((resolve) => socket.once("data", (data) => resolve(data.toString())));
    for (let i = 0; i < 5; i++) socket.write(`190\r\n${"x".repeat(0x190)}\r\n`);
    assert.match(await answered, /^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it("a body with a Content-Length over the cap is refused before it is sent", async () => {
    const { port } = new URL(harness.url);
    const socket = connect(Number(port), "127.0.0.1");
    const answered = new Promise<string>((resolve) => socket.once("data", (data) => resolve(data.toString())));
    const head = `POST /sessions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n`;
    socket.write(`${head}content-type: application/json\r\ncontent-length: 1001\r\n\r\n`);
    assert.match(await answered, /^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it("error messages never quote the request", async () => {
    const secret = "sk-secret-of-the-user";
    for (const body of [{ cwd: { [secret]: 1 } }, `{"${secret}`]) {
      const { text } = await harness.call("POST", "/sessions", { body });
      assert.ok(!text.includes(secret));
    }
  });

  it("a request target that is no path gets an error response", async () => {
    const { port } = new URL(harness.url);
    const socket = connect(Number(port), "127.0.0.1");
    const answered = new Promise<string>((resolve) => socket.once("data", (data) => resolve(data.toString())));
    socket.write("GET http:// HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert.match(await answered, /^HTTP\/1\.1 400 /);
    socket.destroy();
    assert.deepEqual(harness.bugs, []);
  });

  it("every response has the headers against sniffing, caching and referrers", async () => {
    const { headers } = await harness.call("GET", "/sessions");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["content-type"], "application/json");
  });
});

describe("sessions over HTTP", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bowline-serve-")));
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "bowline-serve-")));
  mkdirSync(join(root, "below"));
  symlinkSync(elsewhere, join(root, "way-out"));

  it("sessions can be opened, listed, shown, closed and deleted", async () => {
    const player = scriptedAgent();
    const harness = await served({ startAgent: player.start, roots: [root] });
    const first = await harness.call("POST", "/sessions");
    assert.equal(first.status, 201);
    assert.equal(first.headers.location, `/sessions/${first.json.id}`);
    assert.deepEqual(
      { ...first.json, updatedAt: "" },
      {
        id: player.opened[0]?.sessionId,
        cwd: root,
        title: null,
        status: "idle",
        waiting: 0,
        updatedAt: "",
        options: [],
        commands: [],
        usage: null,
      },
    );
    const second = await harness.call("POST", "/sessions", { body: { cwd: "below" } });
    assert.equal(second.json.cwd, join(root, "below"));
    const list = await harness.call("GET", "/sessions");
    assert.deepEqual(
      [list.json.cwd, list.json.sessions.map(({ id }: { id: string }) => id)],
      [root, [second.json.id, first.json.id]],
    );
    assert.equal((await harness.call("POST", `/sessions/${first.json.id}/close`)).status, 204);
    assert.equal((await harness.call("DELETE", `/sessions/${second.json.id}`)).status, 204);
    assert.deepEqual([player.closed, player.deleted], [[first.json.id], [second.json.id]]);
    assert.deepEqual((await harness.call("GET", "/sessions")).json.sessions, []);
    assert.equal((await harness.call("DELETE", `/sessions/${second.json.id}`)).status, 404);
    await harness.close();
  });

  it("no session opens outside the allowed directories, also not through a symbolic link", async () => {
    const player = scriptedAgent();
    const harness = await served({ startAgent: player.start, roots: [root] });
    for (const path of ["..", "/", elsewhere, "way-out", `${root}-not`, "below/../.."]) {
      const { status, json } = await harness.call("POST", "/sessions", { body: { cwd: path } });
      assert.ok(status === 403 || status === 400, `${path}: ${status}`);
      assert.equal(json.type, "error");
    }
    assert.equal((await harness.call("POST", "/sessions", { body: { cwd: "missing" } })).status, 400);
    assert.deepEqual(player.opened, []);
    await harness.close();
    const open = await served({ startAgent: player.start, roots: [root, elsewhere] });
    assert.equal((await open.call("POST", "/sessions", { body: { cwd: elsewhere } })).status, 201);
    await open.close();
  });

  it("no more sessions open than the cap, also with concurrent requests", async () => {
    const harness = await served({ startAgent: scriptedAgent().start, maxSessions: 2 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => harness.call("POST", "/sessions")));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 429, 429, 429]);
    const [opened] = answers.filter(({ status }) => status === 201);
    await harness.call("POST", `/sessions/${opened?.json.id}/close`);
    assert.equal((await harness.call("POST", "/sessions")).status, 201);
    await harness.close();
  });

  it("a session without an account gets one sentence about signing in", async () => {
    const player = scriptedAgent();
    player.newSessionError = new RpcError(errorCodes.authRequired, "Claude is not signed in: run `claude auth login`");
    const harness = await served({ startAgent: player.start });
    const { status, json } = await harness.call("POST", "/sessions");
    assert.equal(status, 503);
    assert.deepEqual(json, {
      type: "error",
      message: "Claude is not signed in: run `claude auth login`",
      code: "not_signed_in",
    });
    // A failed session does not count against the cap.
    player.newSessionError = undefined;
    assert.equal((await harness.call("POST", "/sessions")).status, 201);
    await harness.close();
  });

  it("a saved conversation can be continued and is shown", async () => {
    const player = scriptedAgent();
    player.past = [update.userMessage("hello", "m1"), update.agentMessage("hel"), update.agentMessage("lo yourself")];
    const harness = await served({ startAgent: player.start });
    const saved = await harness.call("GET", "/saved");
    assert.deepEqual(saved.json.sessions, [{ sessionId: savedId, cwd, title: "An earlier talk" }]);
    const { status, json } = await harness.call("POST", "/sessions", { body: { sessionId: savedId } });
    assert.deepEqual([status, json.id], [201, savedId]);
    const { messages, lastEventId, status: state } = (await harness.call("GET", `/sessions/${savedId}/messages`)).json;
    assert.deepEqual(
      messages.map(({ type, content }: any) => [type, content.text]),
      [
        ["user_message", "hello"],
        ["agent_message", "hello yourself"],
      ],
    );
    assert.deepEqual([lastEventId, state], [3, "idle"]);
    assert.equal((await harness.call("GET", `/sessions/${savedId}`)).json.title, "hello");
    assert.equal((await harness.call("POST", "/sessions", { body: { sessionId: savedId } })).status, 409);
    assert.deepEqual((await harness.call("GET", "/saved")).json.sessions, []);
    player.past = [];
    assert.equal((await harness.call("POST", "/sessions", { body: { sessionId: "unknown" } })).status, 404);
    await harness.close();
  });

  it("the sessions of an agent that has exited are closed, and the next session starts it again", async () => {
    const player = scriptedAgent();
    const harness = await served({ startAgent: player.start });
    const path = await harness.open();
    player.connection?.close("it fell over");
    await player.connection?.settled;
    await new Promise(setImmediate);
    assert.equal((await harness.call("POST", `${path}/interrupt`)).status, 404);
    assert.equal((await harness.call("POST", "/sessions")).status, 201);
    await harness.close();
  });

  it("closing the server ends its streams, the agent and all connections", async () => {
    const player = scriptedAgent(cancelled);
    const harness = await served({ startAgent: player.start });
    const path = await harness.open();
    const events = await harness.stream("GET", `${path}/events`);
    const turn = await harness.stream("POST", `${path}/send-message`, { body: { content: "go" } });
    await events.untilPacket("user_message_chunk");
    await harness.close();
    await Promise.all([events.over(), turn.over()]);
    assert.deepEqual([events.isEnded, turn.isEnded], [true, true]);
    assert.deepEqual(player.stopped, ["the spec is over"]);
    await assert.rejects(harness.call("GET", "/sessions"), { code: "ECONNREFUSED" });
    assert.deepEqual(harness.bugs, []);
  });

  it("a server that cannot listen leaves no agent running", async () => {
    const harness = await served({ startAgent: scriptedAgent().start });
    const second = scriptedAgent();
    const port = Number(new URL(harness.url).port);
    const starting = startServer({
      token,
      host: "127.0.0.1",
      port,
      version: "1",
      roots: [cwd],
      startAgent: second.start,
    });
    await assert.rejects(starting, { code: "EADDRINUSE" });
    assert.deepEqual(second.stopped, ["the server could not listen"]);
    await harness.close();
  });
});
