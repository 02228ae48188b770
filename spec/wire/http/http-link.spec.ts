/**
 * `httpLink` behind proxies that hold back what a server sends.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { httpLink, type Link } from "../../../lib/wire/index.ts";
import { LinkLog } from "../../support/wire/link-log.ts";

type OnStream = (response: ServerResponse, request: IncomingMessage) => void;

/** A server of the transport that accepts everything; `onStream` gets the requests for event streams. */
async function withServer(onStream: OnStream, play: (url: string) => Promise<void>): Promise<void> {
  const server: Server = createServer((request, response) => {
    if (request.method === "GET") return onStream(response, request);
    const isFirst = request.headers["acp-connection-id"] === undefined;
    request.resume();
    request.on("end", () =>
      isFirst
        ? response
            .writeHead(200, { "content-type": "application/json", "acp-connection-id": "c1" })
            .end('{"jsonrpc":"2.0","id":1,"result":{}}')
        : response.writeHead(202).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    // A server on a TCP port has an AddressInfo.
    await play(`http://127.0.0.1:${(server.address() as AddressInfo).port}/acp`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}';
const request = '{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}';

describe("httpLink behind a proxy that buffers", () => {
  it("httpLink behind a proxy that buffers ends with a sentence when no event stream ever arrives, so that nobody waits for ever", () =>
    withServer(
      () => {},
      async (url) => {
        const link = httpLink(url, { maxSilenceMs: 50 });
        const log = new LinkLog();
        link.open(log);
        link.send(initialize);
        await log.until(() => log.lines.length === 1);
        link.send(request);
        assert.match(await log.closed, /event stream does not arrive: a proxy between may buffer it/);
      },
    ));

  it("httpLink behind a proxy that buffers ends with the same sentence when the head of the stream arrives and nothing after it", () =>
    withServer(
      (response) => response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders(),
      async (url) => {
        const link = httpLink(url, { maxSilenceMs: 50 });
        const log = new LinkLog();
        link.open(log);
        link.send(initialize);
        link.send(request);
        assert.match(await log.closed, /event stream does not arrive/);
      },
    ));

  it("httpLink behind a proxy that buffers opens a stream that falls silent again after its last event, and stays open", async () => {
    const asked: number[] = [];
    const onStream: OnStream = (response, { headers }) => {
      asked.push(Number(headers["last-event-id"]));
      response.writeHead(200, { "content-type": "text/event-stream" });
      const id = asked.length;
      response.write(`id: ${id}\ndata: {"jsonrpc":"2.0","method":"_n","params":{"n":${id}}}\n\n`);
    };
    await withServer(onStream, async (url) => {
      const link = httpLink(url, { maxSilenceMs: 50 });
      const log = new LinkLog();
      link.open(log);
      link.send(initialize);
      await log.until(() => log.lines.length >= 5);
      link.close("done");
      assert.equal(await log.closed, "done");
    });
    // On a busy machine a stream may be opened again before its event has arrived.
    assert.equal(asked[0], 0);
    assert.deepEqual(
      asked,
      [...asked].toSorted((left, right) => left - right),
    );
    assert.ok(asked.length >= 4 && (asked.at(-1) ?? 0) >= 2, asked.join(" "));
  });
});

describe("httpLink and the errors of a server", () => {
  const prompt = (id: number, sessionId: string, method = "session/prompt"): string =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params: { sessionId } });

  /** A server that answers a POST with the status in the name of its session, and streams of "taken" with 409. */
  async function play(run: (link: Link, log: LinkLog) => Promise<void>, takenStatus = 409): Promise<void> {
    const server = createServer(({ method, headers }, response) => {
      const session = String(headers["acp-session-id"] ?? "");
      if (method === "GET" && session === "taken") return response.writeHead(takenStatus).end();
      if (method === "GET") return response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n");
      if (headers["acp-connection-id"] === undefined)
        return response.writeHead(200, { "acp-connection-id": "c1" }).end('{"jsonrpc":"2.0","id":1,"result":{}}');
      return response.writeHead(Number(session) || 202).end('{"why":"no"}');
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    // A server on a TCP port has an AddressInfo.
    const link = httpLink(`http://127.0.0.1:${(server.address() as AddressInfo).port}/acp`);
    const log = new LinkLog();
    try {
      link.open(log);
      link.send(initialize);
      await log.until(() => log.lines.length === 1);
      await run(link, log);
    } finally {
      link.close("done");
      server.closeAllConnections();
      server.close();
    }
  }
  const errors = ({ lines }: LinkLog): readonly unknown[] =>
    lines.slice(1).map((line) => {
      const { id, error } = JSON.parse(line) as { readonly id: number; readonly error: { readonly data: unknown } };
      return [id, error.data];
    });

  it("httpLink fails one request at a status such as 429, with status and body, and goes on", () =>
    play(async (link, log) => {
      link.send(prompt(2, "429"));
      link.send(prompt(3, "503"));
      await log.until(() => log.lines.length === 3);
      assert.deepEqual(errors(log), [
        [2, { status: 429, body: { why: "no" } }],
        [3, { status: 503, body: { why: "no" } }],
      ]);
    }));

  it("httpLink fails one session at a 409, until the session is loaded again, and the others go on", () =>
    play(async (link, log) => {
      for (const line of [prompt(2, "200"), prompt(3, "409"), prompt(4, "409"), prompt(5, "taken")]) link.send(line);
      link.send(prompt(6, "409", "session/load"));
      link.send(prompt(7, "429"));
      await log.until(() => log.lines.length === 6);
      const data = { status: 409 };
      const body = { why: "no" };
      assert.deepEqual(errors(log), [
        [3, { ...data, body }],
        [4, data],
        [5, data],
        [6, { ...data, body }],
        [7, { status: 429, body }],
      ]);
    }));

  it("httpLink ends at 401, 403, 404 and 410", async () => {
    for (const status of ["401", "403", "404", "410"])
      await play(async (link, log) => {
        link.send(prompt(2, status));
        assert.equal(await log.closed, `the server answered ${status}`);
      });
    await play(async (link, log) => {
      link.send(prompt(2, "taken"));
      assert.equal(await log.closed, "the server answered 404");
    }, 404);
  });
});
