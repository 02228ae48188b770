/**
 * Requests that no browser sends, written byte by byte.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { scriptedAgent } from "../support/serve/scripted-agent.ts";
import { head, RawSocket } from "../support/serve/raw-http.ts";
import { type Served, served, token } from "../support/serve/test-server.ts";

const bearer = `authorization: Bearer ${token}`;
const json = "content-type: application/json";

describe("server with hostile requests", () => {
  const player = scriptedAgent();
  let harness: Served;
  before(async () => (harness = await served({ startAgent: player.start, origins: ["http://localhost:5173"] })));
  after(async () => {
    await harness.close();
    assert.deepEqual([harness.bugs, player.opened], [[], []]);
  });

  const statusOf = async (...lines: readonly string[]): Promise<number> => {
    const socket = new RawSocket(harness.url).send(...lines);
    try {
      return await socket.status();
    } finally {
      socket.close();
    }
  };

  for (const [name, first, second] of [
    ["Host", "host: localhost", "host: evil.example"],
    ["Host", "host: localhost", "Host: localhost"],
    ["Authorization", bearer, "AUTHORIZATION: Bearer wrong"],
    ["Authorization", bearer, bearer],
    ["Origin", "origin: http://localhost:5173", "Origin: http://evil.example"],
    ["Origin", "origin: http://localhost:5173", "origin: http://localhost:5173"],
    ["Content-Type", json, "content-type: text/plain"],
    ["Last-Event-ID", "last-event-id: 0", "last-event-id: 1"],
  ] as const) {
    const relation = first.toLowerCase() === second.toLowerCase() ? "equal" : "different";
    it(`a request with two ${relation} ${name} headers gets 400`, async () => {
      const usual = ["host: localhost", bearer].filter((line) => !line.startsWith(first.split(":")[0] ?? ""));
      for (const pair of [
        [first, second],
        [second, first],
      ]) {
        assert.equal(await statusOf("GET /sessions HTTP/1.1", ...usual, ...pair, "", ""), 400);
      }
    });
  }

  it("a request with so many headers that Node would drop the last ones gets 400", async () => {
    const many = Array.from({ length: 2100 }, () => "a:");
    for (const last of ["host: evil.example", "origin: http://evil.example"]) {
      assert.equal(await statusOf("GET /sessions HTTP/1.1", "host: localhost", bearer, ...many, last, "", ""), 400);
    }
    const few = Array.from({ length: 100 }, (_, i) => `x-${i}: a`);
    assert.equal(await statusOf("GET /sessions HTTP/1.1", "host: localhost", bearer, ...few, "", ""), 200);
  });

  it("a request with an ambiguous length gets 400", async () => {
    const open = ["POST /sessions HTTP/1.1", "host: localhost", bearer, json];
    for (const framing of [
      ["content-length: 2", "content-length: 2"],
      ["content-length: 2", "content-length: 40"],
      ["content-length: 2, 2"],
      ["content-length: 2", "transfer-encoding: chunked"],
      ["transfer-encoding: chunked", "content-length: 2"],
      ["transfer-encoding: gzip"],
      ["transfer-encoding: chunked, identity"],
      ["transfer-encoding: xchunked"],
      ["content-length: +2"],
      ["content-length: -2"],
      ["content-length: 0x2"],
      ["content-length : 2"],
    ]) {
      assert.equal(await statusOf(...open, ...framing, "", "{}"), 400, framing.join(" | "));
    }
    const chunks = ["transfer-encoding: chunked", "transfer-encoding: chunked", "", "2", "{}", "0", "", ""];
    assert.equal(await statusOf(...open, ...chunks), 400);
  });

  it("a request with folded headers or other line ends gets 400", async () => {
    for (const text of [
      `GET /sessions HTTP/1.1\nhost: localhost\n${bearer}\n\n`,
      `GET /sessions HTTP/1.1\r\nhost: localhost\r\n ${bearer}\r\n\r\n`,
      `GET /sessions HTTP/1.1\r\nhost: localhost\r\n${bearer}\rx: y\r\n\r\n`,
      `GET /sessions HTTP/1.1\r\nhost: localhost\r\nx\0y: z\r\n${bearer}\r\n\r\n`,
      `GET /sessions HTTP/9.9\r\nhost: localhost\r\n${bearer}\r\n\r\n`,
    ]) {
      const status = await statusOf(text);
      assert.ok(status === 400 || status === 505, `${JSON.stringify(text.replaceAll(token, "…"))}: ${status}`);
    }
  });

  it("a chunked body needs a Content-Type", async () => {
    for (const type of [[], ["content-type: text/plain"], ["content-type: application/jsonx"]]) {
      const lines = head("POST", "/sessions", ["transfer-encoding: chunked", ...type]).slice(0, -1);
      assert.equal(await statusOf(...lines, "e", '{"cwd":"none"}', "0", "", ""), 415, type.join());
    }
  });

  it("a request target that is not a plain path is not routed", async () => {
    for (const target of [
      "http://localhost/sessions",
      "http://evil.example/sessions",
      "HTTP://localhost/sessions",
      "//localhost/sessions",
      "//evil.example/sessions",
      "/\\evil.example/sessions",
      "\\sessions",
      "*",
      "sessions",
      "/x/../sessions",
      "/./sessions",
      "/x/%2e%2e/sessions",
      "/%73essions",
      "/sessions%2f",
      "/sessions%00",
      "/Sessions",
      "/sessions;x",
      "/page/../sessions",
      "/page/..%2fsessions",
      "/sessions#x",
    ]) {
      const status = await statusOf(...head("GET", target));
      assert.ok(status === 400 || status === 404, `${target}: ${status}`);
    }
    assert.equal(await statusOf(...head("GET", "/sessions?x=/../y")), 200);
  });

  it("a Host that only resembles a name of the server is refused", async () => {
    for (const host of [
      "localhost.",
      "localhost.:4747",
      "127.0.0.1.",
      "127.1",
      "2130706433",
      "0x7f.0.0.1",
      "[::1",
      "[::1]x",
      "[::1%25lo]",
      "[::ffff:127.0.0.1]",
      "[0:0:0:0:0:0:0:1]",
      "localhost:",
      "localhost:x",
      "localhost,evil.example",
      "localhost evil.example",
      "user@localhost",
      "xn--localhost",
      "",
    ]) {
      assert.equal(await statusOf(...head("GET", "/sessions", [], { host })), 403, host);
    }
    assert.equal(await statusOf(...head("GET", "/sessions", [], { host: "[::1]:4747" })), 200);
    assert.equal(await statusOf("GET /sessions HTTP/1.1", bearer, "", ""), 400);
    const old = new RawSocket(harness.url).send("GET /sessions HTTP/1.0", bearer, "", "");
    assert.equal(await old.status(), 403);
    old.close();
  });

  it("an id such as __proto__ or an encoded id is not found", async () => {
    for (const id of ["__proto__", "constructor", "toString", "%5f_proto__", "..%2f..", "%00", "hasOwnProperty"]) {
      for (const path of [`/sessions/${id}`, `/sessions/${id}/messages`, `/page/${id}`]) {
        assert.equal(await statusOf(...head("GET", path)), 404, path);
      }
      assert.equal(await statusOf(...head("DELETE", `/sessions/${id}`)), 404);
    }
  });

  it("100 Continue is sent only after the token and the headers have been checked", async () => {
    const expecting = ["expect: 100-continue", "content-length: 100", json];
    for (const [status, headers, given] of [
      [401, expecting, ""],
      [401, expecting, "wrong"],
      [415, ["expect: 100-continue", "content-length: 100"], token],
      [413, ["expect: 100-continue", "content-length: 100000000", json], token],
    ] as const) {
      const socket = new RawSocket(harness.url).send(...head("POST", "/sessions", headers, { bearer: given }));
      assert.equal(await socket.status(), status);
      assert.deepEqual(socket.statuses, [status]);
      socket.close();
    }
    const body = '{"cwd":"missing"}';
    const headers = ["expect: 100-continue", `content-length: ${body.length}`, json];
    const allowed = new RawSocket(harness.url).send(...head("POST", "/sessions", headers));
    await allowed.until(({ statuses }) => statuses.includes(100));
    allowed.send(body);
    assert.equal(await allowed.status(), 400);
    assert.deepEqual(allowed.statuses, [100, 400]);
    allowed.close();
  });

  it("a request cannot upgrade the connection or open a tunnel", async () => {
    const upgrade = ["connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13"];
    assert.equal(await statusOf(...head("GET", "/sessions", upgrade, { bearer: "" })), 401);
    assert.equal(await statusOf(...head("GET", "/sessions", ["connection: upgrade", "upgrade: h2c"])), 404);
    const tunnel = new RawSocket(harness.url).send(...head("CONNECT", "localhost:22"));
    await tunnel.closed();
    assert.ok(tunnel.statuses.every((status) => status >= 400));
  });

  it("every method needs the token, and OPTIONS and HEAD reveal nothing", async () => {
    for (const method of ["HEAD", "OPTIONS", "PUT", "PATCH", "TRACE", "POST", "DELETE", "GET"]) {
      const status = await statusOf(...head(method, "/saved", [], { bearer: "" }));
      assert.ok(status === 401 || status === 405, `${method}: ${status}`);
    }
    const other = ["x-http-method-override: DELETE", "x-method-override: DELETE"];
    assert.equal(await statusOf(...head("POST", "/sessions/x", other)), 405);
  });

  it("a refused request closes its connection, so that bytes after it are not read as a request", async () => {
    const refused = head("POST", "/sessions", ["content-length: 5", json], { bearer: "" });
    const smuggled = head("POST", "/sessions", ["content-length: 2", json]);
    const socket = new RawSocket(harness.url).send(...refused, "");
    await socket.status();
    socket.send(...smuggled, "{}");
    await socket.closed();
    assert.deepEqual(socket.statuses, [401]);
  });

  it("the body of a refused request is not read as the next request", async () => {
    const inner = [...head("POST", "/sessions", ["content-length: 2", json]), "{}"].join("\r\n");
    const outer = head("POST", "/sessions", [`content-length: ${inner.length}`, "content-type: text/plain"]);
    const socket = new RawSocket(harness.url).send([...outer].join("\r\n") + inner);
    assert.equal(await socket.status(), 415);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(socket.statuses, [415]);
    socket.close();
  });
});
