/**
 * Specs of WebSocket links against a peer that is not ours: the package ws, as client and
 * as server; and against raw sockets for faults.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect as connectSocket, Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { WebSocket as WsClient, WebSocketServer } from "ws";
import {
  type WebSocketLink,
  webSocketLink,
  webSocketServerLink,
  type WebSocketServerOptions,
} from "../../../lib/wire/index.ts";
import { WebSocket as OurWebSocket } from "../../../lib/wire/websocket/websocket.ts";
import { LinkLog } from "../../support/wire/link-log.ts";

interface Accepted {
  readonly link: WebSocketLink;
  readonly log: LinkLog;
  readonly request: IncomingMessage;
}

/** A server of ours that echoes every line, and the connections it accepts. */
async function ourServer(
  t: TestContext,
  options: WebSocketServerOptions = {},
): Promise<{ readonly url: string; readonly port: number; readonly next: () => Promise<Accepted> }> {
  const server = createServer();
  const accepted: Accepted[] = [];
  const waiters: ((one: Accepted) => void)[] = [];
  server.on("upgrade", (request, socket, head) => {
    const link = webSocketServerLink({ request, socket, head }, options);
    if (link === undefined) return;
    const log = new LinkLog((line) => link.send(line));
    link.open(log);
    const one = { link, log, request };
    const waiter = waiters.shift();
    if (waiter === undefined) accepted.push(one);
    else waiter(one);
  });
  const port = await listen(t, server);
  const next = async (): Promise<Accepted> => accepted.shift() ?? new Promise((resolve) => waiters.push(resolve));
  return { url: `ws://127.0.0.1:${port}/`, port, next };
}

async function listen(t: TestContext, server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  // A server on a TCP port has an AddressInfo.
  return (server.address() as AddressInfo).port;
}

const handshake = (port: number): string =>
  `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

/** A socket that has done the handshake and reads nothing until the spec does. */
async function rawClient(t: TestContext, port: number): Promise<Socket> {
  const socket = connectSocket(port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  socket.write(handshake(port));
  await once(socket, "readable");
  const head: unknown = socket.read();
  assert.match(String(head), /^HTTP\/1\.1 101 .*s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/s);
  return socket;
}

describe("the WebSocket server link, with ws as the client", () => {
  it("the WebSocket server link echoes texts of every length class and script", async (t) => {
    const { url } = await ourServer(t);
    const client = new WsClient(url);
    await once(client, "open");
    for (const text of ["{}", "x".repeat(126), "x".repeat(70_000), "κόσμε 🪢", "y".repeat(3 << 20)]) {
      client.send(text);
      const [data] = (await once(client, "message")) as [Buffer];
      assert.equal(data.toString(), text);
    }
    client.close(1000);
    await once(client, "close");
  });

  it("the WebSocket server link declines permessage-deflate", async (t) => {
    const { url } = await ourServer(t);
    const client = new WsClient(url, { perMessageDeflate: true });
    await once(client, "open");
    assert.equal(client.extensions, "");
    client.terminate();
  });

  it("the WebSocket server link joins the fragments of a message, and answers a ping between them", async (t) => {
    const { url, next } = await ourServer(t);
    const client = new WsClient(url);
    await once(client, "open");
    const { log } = await next();
    const ponged = once(client, "pong");
    client.send("one ", { fin: false });
    client.ping("between");
    client.send("two", { fin: true });
    await log.has("line one two");
    const [payload] = (await ponged) as [Buffer];
    assert.equal(payload.toString(), "between");
    client.terminate();
  });

  it("the WebSocket server link ignores binary messages and reads on", async (t) => {
    const { url, next } = await ourServer(t);
    const client = new WsClient(url);
    await once(client, "open");
    const { log } = await next();
    client.send(Buffer.from("binary"));
    client.send("text");
    await log.has("line text");
    assert.deepEqual(log.lines, ["text"]);
    client.terminate();
  });

  it("the WebSocket server link makes one line of a message with line breaks", async (t) => {
    const { url, next } = await ourServer(t);
    const client = new WsClient(url);
    await once(client, "open");
    const { log } = await next();
    client.send('{\r\n"a": 1\n}');
    await log.until(() => log.lines.length === 1);
    assert.deepEqual(log.lines, ['{ "a": 1 }']);
    client.terminate();
  });

  it("the WebSocket server link ends with the client's close code and reason", async (t) => {
    const { url, next } = await ourServer(t);
    const client = new WsClient(url);
    await once(client, "open");
    const { link, log } = await next();
    client.close(4001, "enough");
    assert.equal(await log.closed, "enough");
    assert.deepEqual(link.closeStatus(), { code: 4001, reason: "enough" });
    const [code] = (await once(client, "close")) as [number];
    assert.equal(code, 4001);
  });

  it("the WebSocket server link sends what is queued, then the close code that it was given", async (t) => {
    const { url, next } = await ourServer(t);
    const client = new WsClient(url);
    const received: string[] = [];
    client.on("message", (data: Buffer) => received.push(data.toString()));
    await once(client, "open");
    const { link, log } = await next();
    for (let i = 0; i < 1000; i++) link.send(String(i));
    link.closeWith({ code: 1001, reason: "the server ends" });
    const [code, reason] = (await once(client, "close")) as [number, Buffer];
    assert.deepEqual([code, reason.toString()], [1001, "the server ends"]);
    assert.equal(received.length, 1000);
    assert.equal(await log.closed, "the server ends");
  });

  it("the WebSocket server link closes with 1009 when a message is over the limit, and with 1007 when it is not UTF-8", async (t) => {
    const { url } = await ourServer(t, { maxLineBytes: 1000 });
    for (const [payload, expected] of [
      ["x".repeat(1001), 1009],
      [Buffer.from([0xff]), 1007],
    ] as const) {
      const client = new WsClient(url);
      await once(client, "open");
      client.send(payload, { binary: false });
      const [code] = (await once(client, "close")) as [number];
      assert.equal(code, expected);
    }
  });

  it("the WebSocket server link selects a subprotocol only when the client offers it", async (t) => {
    const { url } = await ourServer(t, { protocol: "acp.v1" });
    const offered = new WsClient(url, ["other", "acp.v1"]);
    await once(offered, "open");
    assert.equal(offered.protocol, "acp.v1");
    const none = new WsClient(url);
    await once(none, "open");
    assert.equal(none.protocol, "");
    offered.terminate();
    none.terminate();
  });
});

describe("the WebSocket client link, with ws as the server", () => {
  async function wsServer(t: TestContext): Promise<{ readonly url: string; readonly server: WebSocketServer }> {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: true });
    await once(server, "listening");
    t.after(() => {
      for (const one of server.clients) one.terminate();
      server.close();
    });
    // A server on a TCP port has an AddressInfo.
    return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/acp`, server };
  }

  it("the WebSocket client link sends lines given before the handshake, gets every echo in order, and closes cleanly", async (t) => {
    const { url, server } = await wsServer(t);
    const closed = new Promise<number>((resolve) => {
      server.on("connection", (socket) => {
        socket.on("message", (data: Buffer) => socket.send(data.toString()));
        socket.on("close", resolve);
      });
    });
    const link = webSocketLink(url);
    const log = new LinkLog();
    link.open(log);
    const lines = ["{}", "x".repeat(200), "ü".repeat(70_000), "end"];
    for (const line of lines) link.send(line);
    await log.has("line end");
    assert.deepEqual(log.lines, lines);
    link.close("done");
    assert.equal(await log.closed, "done");
    assert.equal(await closed, 1000);
  });

  it("the WebSocket client link sends its headers and subprotocols", async (t) => {
    const { url, server } = await wsServer(t);
    const connected = once(server, "connection");
    const link = webSocketLink(url, { headers: { authorization: "Bearer secret" }, protocols: ["acp.v1"] });
    link.open(new LinkLog());
    const [socket, request] = (await connected) as [WsClient, IncomingMessage];
    assert.equal(request.headers.authorization, "Bearer secret");
    assert.equal(socket.protocol, "acp.v1");
    link.close("done");
  });

  it("the WebSocket client link joins the fragments that ws sends, and answers its ping", async (t) => {
    const { url, server } = await wsServer(t);
    server.on("connection", (socket) => {
      socket.send("one ", { fin: false });
      socket.ping("p");
      socket.send("two", { fin: true });
      socket.once("pong", () => socket.close(1001, "bye"));
    });
    const link = webSocketLink(url);
    const log = new LinkLog();
    link.open(log);
    assert.equal(await log.closed, "bye");
    assert.deepEqual(log.lines, ["one two"]);
    assert.equal(link.closeStatus()?.code, 1001);
  });

  it("the WebSocket client link reports a refusal with its status, and a server that cannot be reached", async (t) => {
    const refusing = createServer((_request, response) => void response.writeHead(401).end());
    const port = await listen(t, refusing);
    let status: number | undefined;
    const refused = webSocketLink(`http://127.0.0.1:${port}/acp`, {
      onResponse: ({ statusCode }) => (status = statusCode),
    });
    const log = new LinkLog();
    refused.open(log);
    assert.equal(await log.closed, "the server answered 401 instead of opening a WebSocket");
    assert.equal(status, 401);
    const gone = new LinkLog();
    webSocketLink("ws://127.0.0.1:1/").open(gone);
    assert.match(await gone.closed, /^the server cannot be reached: ECONNREFUSED$/);
  });

  it("the WebSocket client link can be closed before the handshake is done", async (t) => {
    const silent = createServer();
    const port = await listen(t, silent);
    const link = webSocketLink(`ws://127.0.0.1:${port}/`);
    const log = new LinkLog();
    link.open(log);
    link.close("never mind");
    assert.equal(await log.closed, "never mind");
  });

  it("the WebSocket client link refuses an address that is no WebSocket's", () => {
    assert.throws(() => webSocketLink("ftp://127.0.0.1/"), /must begin with ws: or wss:/);
  });
});

describe("the WebSocket server link, with a raw client", () => {
  it("the WebSocket server link refuses what is no handshake, with the status that says why", async (t) => {
    const { port } = await ourServer(t);
    const requests: readonly (readonly [string, number])[] = [
      [handshake(port).replace("Version: 13", "Version: 8"), 426],
      [handshake(port).replace("dGhlIHNhbXBsZSBub25jZQ==", "short"), 400],
      [handshake(port).replace("HTTP/1.1", "HTTP/1.0"), 400],
      [handshake(port).replace("GET", "POST"), 405],
      [handshake(port).replace("Upgrade: websocket", "Upgrade: h2c"), 426],
    ];
    for (const [text, status] of requests) {
      const socket = connectSocket(port, "127.0.0.1");
      t.after(() => socket.destroy());
      socket.end(text);
      let answer = "";
      for await (const chunk of socket) answer += String(chunk);
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), text);
    }
  });

  it("a line is sent at once, also where the server's sockets wait for more (Nagle's algorithm)", () => {
    const socket = new Socket();
    const set: (boolean | undefined)[] = [];
    socket.setNoDelay = (isOn) => {
      set.push(isOn);
      return socket;
    };
    new OurWebSocket({}).start(socket, Buffer.alloc(0));
    assert.deepEqual(set, [true]);
    socket.destroy();
  });

  it("a client that vanishes without a close frame ends the link", async (t) => {
    const { port, next } = await ourServer(t);
    const socket = await rawClient(t, port);
    const { link, log } = await next();
    socket.destroy();
    assert.equal(await log.closed, "the connection was lost");
    assert.equal(link.closeStatus()?.code, 1006);
  });

  it("a half-open connection is closed when two pings stay unanswered", async (t) => {
    const { port, next } = await ourServer(t, { pingMs: 20 });
    await rawClient(t, port);
    const { link, log } = await next();
    assert.match(await log.closed, /^the other side has not answered for 0\.04 s$/);
    assert.equal(link.closeStatus()?.code, 1008);
  });

  it("a client that answers pings stays connected although it says nothing", async (t) => {
    const { url, next } = await ourServer(t, { pingMs: 10 });
    const client = new WsClient(url);
    await once(client, "open");
    const { log } = await next();
    let pings = 0;
    await new Promise<void>((resolve) => client.on("ping", () => ++pings === 20 && resolve()));
    assert.deepEqual(log.events, []);
    client.terminate();
  });

  it("a client that reads nothing is dropped with 1008, and what waits for it stays bounded", async (t) => {
    const { port, next } = await ourServer(t, { maxStallMs: 100 });
    await rawClient(t, port);
    const { link, log } = await next();
    const line = "x".repeat(64 * 1024);
    let isTaken = true;
    for (let i = 0; i < 1000 && isTaken; i++) {
      isTaken = link.send(line);
      await new Promise(setImmediate);
    }
    assert.equal(isTaken, false, "backpressure is reported");
    assert.equal(await log.closed, "the other side has read nothing for 0.1 s");
    assert.equal(link.closeStatus()?.code, 1008);
  });

  it("a client that reads nothing is dropped with 1008 when more waits for it than the limit", async (t) => {
    const { port, next } = await ourServer(t, { maxQueuedChars: 1 << 20 });
    await rawClient(t, port);
    const { link, log } = await next();
    const line = "x".repeat(64 * 1024);
    while (link.closeStatus() === undefined) {
      link.send(line);
      await new Promise(setImmediate);
    }
    assert.match(await log.closed, /^the other side does not read: more than 1048576 characters wait$/);
    assert.equal(link.closeStatus()?.code, 1008);
  });

  it("pings of a client that reads nothing are not all kept for an answer", async (t) => {
    const { port, next } = await ourServer(t);
    const socket = await rawClient(t, port);
    const { link } = await next();
    while (link.send("x".repeat(64 * 1024))) await new Promise(setImmediate);
    const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125)]);
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
    const flood = Buffer.concat(Array.from({ length: 10_000 }, () => ping));
    for (let i = 0; i < 10; i++) await new Promise((resolve) => socket.write(flood, resolve));
    const grown = process.memoryUsage().arrayBuffers + process.memoryUsage().external - before;
    assert.ok(grown < 64 << 20, `${grown} bytes`);
  });
});
