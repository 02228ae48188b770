/**
 * Connections: clients without the token cannot keep clients with the token out.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { scriptedAgent } from "../support/serve/scripted-agent.ts";
import { head, RawSocket } from "../support/serve/raw-http.ts";
import { type Served, served } from "../support/serve/test-server.ts";

/** How long a response may take on a busy machine and still count as immediate. */
const promptMs = 20_000;
/** Longer: a response that waits until silent connections are closed comes too late. */
const headerTimeoutMs = 60_000;

async function onServer(
  run: (harness: Served) => Promise<void>,
  options: Partial<Parameters<typeof served>[0]> = {},
): Promise<void> {
  const harness = await served({ startAgent: scriptedAgent().start, headerTimeoutMs, ...options });
  try {
    await run(harness);
    assert.deepEqual(harness.bugs, []);
  } finally {
    await harness.close();
  }
}

async function inTime<T>(what: string, promise: Promise<T>, limitMs = promptMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${limitMs} ms`)), limitMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function hold(url: string, count: number, ...lines: readonly string[]): Promise<readonly RawSocket[]> {
  const sockets = Array.from({ length: count }, () => new RawSocket(url));
  await Promise.all(sockets.map((socket) => socket.connected()));
  if (lines.length > 0) for (const socket of sockets) socket.send(...lines);
  return sockets;
}

describe("server with connections that lack the token", () => {
  for (const count of [256, 300, 2000]) {
    it(`a request with the token is answered at once while ${count} silent connections are open`, () =>
      onServer(async (harness) => {
        const silent = await hold(harness.url, count);
        for (let i = 0; i < 3; i++) {
          const { status } = await inTime("GET /sessions", harness.call("GET", "/sessions"));
          assert.equal(status, 200);
        }
        for (const socket of silent) socket.close();
      }));
  }

  it("a request with the token is answered at once while 300 connections send their headers slowly", () =>
    onServer(async (harness) => {
      const slow = await hold(harness.url, 300, "GET /sessions HTTP/1.1", "host: localhost", "x-slow: ");
      assert.equal((await inTime("GET /sessions", harness.call("GET", "/sessions"))).status, 200);
      for (const socket of slow) socket.close();
    }));

  it("a request with the token is answered in one burst with 1,000 silent connections", () =>
    onServer(async (harness) => {
      const before = Array.from({ length: 500 }, () => new RawSocket(harness.url));
      const asked = harness.call("GET", "/sessions");
      const behind = Array.from({ length: 500 }, () => new RawSocket(harness.url));
      assert.equal((await inTime("GET /sessions", asked)).status, 200);
      for (const socket of [...before, ...behind]) socket.close();
    }));

  it("every authenticated stream stays open while 2,000 silent connections come and go", () =>
    onServer(async (harness) => {
      const path = await harness.open();
      const streams = await Promise.all(Array.from({ length: 8 }, () => harness.stream("GET", `${path}/events`)));
      const silent = await hold(harness.url, 2000);
      await harness.call("POST", `${path}/send-message`, {
        body: { content: "hi" },
        headers: { accept: "application/json" },
      });
      await Promise.all(streams.map((stream) => stream.untilPacket("prompt_response")));
      for (const socket of silent) socket.close();
      for (const stream of streams) stream.leave();
    }));

  it("a request on one more connection gets 429 when all 256 have presented the token", () =>
    onServer(async (harness) => {
      const paths = await Promise.all(Array.from({ length: 8 }, () => harness.open()));
      const following = paths.flatMap((path) => Array.from({ length: 32 }, () => `${path}/events`));
      const streams = await Promise.all(following.map((path) => harness.stream("GET", path)));
      const { status, json } = await harness.call("GET", "/sessions");
      assert.deepEqual([status, json.code], [429, "too_many"]);
      streams[0]?.leave();
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal((await harness.call("GET", "/sessions")).status, 200);
      assert.ok(streams.slice(1).every(({ isEnded, isBroken }) => !isEnded && !isBroken));
      for (const stream of streams) stream.leave();
    }));

  it("the oldest silent connection is closed in favour of the newest one", () =>
    onServer(async (harness) => {
      const [first] = await hold(harness.url, 1);
      const rest = await hold(harness.url, 300);
      assert.ok(first);
      await inTime("the oldest is closed", first.closed());
      assert.equal(rest.at(-1)?.isClosed, false);
      for (const socket of rest) socket.close();
    }));

  it("a connection that sends no complete headers within the header timeout is closed", () =>
    onServer(
      async (harness) => {
        const [silent] = await hold(harness.url, 1);
        const [slow] = await hold(harness.url, 1, "GET / HTTP/1.1", "host: localhost", "");
        assert.ok(silent && slow);
        await inTime("both connections are closed", Promise.all([silent.closed(), slow.closed()]));
      },
      { headerTimeoutMs: 200 },
    ));

  it("a body without the token is refused before it is sent, and the connection is closed", () =>
    onServer(async (harness) => {
      const body = ["content-type: application/json", "content-length: 100000"];
      const chunked = ["content-type: application/json", "transfer-encoding: chunked"];
      for (const headers of [body, chunked]) {
        for (const bearer of ["", "wrong"]) {
          const [socket] = await hold(harness.url, 1, ...head("POST", "/sessions", headers, { bearer }));
          assert.ok(socket);
          assert.equal(await inTime("401", socket.status()), 401);
          assert.match(socket.received, /^connection: close\r$/im);
          await inTime("the connection is closed", socket.closed());
        }
      }
    }));

  it("the connection of a request to the page whose body is never sent is closed", () =>
    onServer(async (harness) => {
      const [socket] = await hold(harness.url, 1, ...head("GET", "/", ["content-length: 100000"], { bearer: "" }));
      assert.ok(socket);
      assert.equal(await inTime("200", socket.status()), 200);
      await inTime("the connection is closed", socket.closed());
    }));

  it("a request with the token is answered at once while 300 bodies without the token are sent slowly", () =>
    onServer(async (harness) => {
      const headers = ["content-type: application/json", "content-length: 100000"];
      const slow = await hold(harness.url, 300, ...head("POST", "/sessions", headers, { bearer: "" }), "{");
      assert.equal((await inTime("GET /sessions", harness.call("GET", "/sessions"))).status, 200);
      for (const socket of slow) socket.close();
    }));

  it("an error response reaches a client that is still sending a large body in full", () =>
    onServer(async (harness) => {
      const body = JSON.stringify({ content: "x".repeat(7_000_000) });
      const { status, json } = await harness.call("POST", "/sessions/x/send-message", {
        body,
        headers: { authorization: "Bearer wrong" },
      });
      assert.deepEqual([status, json.code], [401, "unauthorized"]);
    }));
});
