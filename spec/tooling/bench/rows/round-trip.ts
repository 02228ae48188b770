/**
 * Measures the round trip of a request to a child process, over real pipes, and over a
 * WebSocket in place of them.
 *
 * Each library is at both ends. The baseline parses, stringifies and writes each message
 * without a library, and checks nothing; that of the WebSocket is this library over pipes.
 */
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { client as officialClient, ndJsonStream } from "@agentclientprotocol/sdk";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type { Link } from "../../../../lib/index.ts";
import type { Bowline } from "../bundle.ts";
import { type Child, start, stop } from "../child.ts";
import { clocked, type ContestantName, type Run } from "../measure.ts";
import { textOf } from "../messages.ts";
import type { Contest, Row, Setting } from "../row.ts";

/**
 * On one core, and in samples that are short and many: which core a child is woken on,
 * and who else wants it, changes a round trip threefold.
 */
export function roundTripRows(setting: Setting): Row[] {
  const row = (outstanding: number, count: number, target: number): Row => ({
    name: `round trip, ${outstanding} outstanding`,
    scale: { kind: "rate", count, unit: "/s" },
    target,
    rounds: 81,
    quickRounds: 15,
    warmUps: 25,
    isOnOneCore: true,
    open: () => contest(setting, count, outstanding),
  });
  const overWebSocket: Row = {
    ...row(1, 800, 0.95),
    name: "round trip over a WebSocket, against stdio",
    scale: { kind: "cost", unit: " ns", per: 800 },
    target: 1.5,
    open: () => webSocketContest(setting, 800),
  };
  return [row(1, 800, 0.95), row(64, setting.isQuick ? 1920 : 5760, 1.25), overWebSocket];
}

type Call = (params: { readonly text: string }) => Promise<unknown>;

interface Caller {
  readonly call: Call;
  readonly close: () => void | Promise<void>;
}

async function contest(setting: Setting, count: number, outstanding: number): Promise<Contest> {
  const callers: Partial<Record<ContestantName, Caller>> = {
    floor: floorCaller(setting),
    ours: await bowlineCaller(setting),
    "official SDK": officialCaller(setting),
    "vscode-jsonrpc": vscodeCaller(setting),
  };
  return {
    contestants: Object.fromEntries(
      Object.entries(callers).map(([name, { call }]) => [name, callMany(call, count, outstanding)]),
    ),
    async close() {
      for (const { close } of Object.values(callers)) await close();
    },
  };
}

async function webSocketContest(setting: Setting, count: number): Promise<Contest> {
  const [stdio, webSocket] = [await bowlineCaller(setting), await webSocketCaller(setting)];
  return {
    contestants: { floor: callMany(stdio.call, count, 1), ours: callMany(webSocket.call, count, 1) },
    async close() {
      for (const { close } of [stdio, webSocket]) await close();
    },
  };
}

function callMany(call: Call, count: number, outstanding: number): Run {
  const line = async (): Promise<void> => {
    for (let i = 0; i < count / outstanding; i++) await call({ text: textOf(i) });
  };
  return () => clocked(() => Promise.all(Array.from({ length: outstanding }, line)));
}

function floorCaller({ program }: Setting): Caller {
  const child = start(program("echo-floor"));
  const waiting = new Map<number, (result: unknown) => void>();
  let lastId = 0;
  let tail = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => {
    const lines = (tail + text).split("\n");
    tail = lines.pop() ?? "";
    for (const line of lines) {
      const { id, result } = JSON.parse(line) as { readonly id: number; readonly result: unknown };
      waiting.get(id)?.(result);
      waiting.delete(id);
    }
  });
  return {
    call: (params) =>
      new Promise((resolve) => {
        const id = ++lastId;
        waiting.set(id, resolve);
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "_echo", params })}\n`);
      }),
    close: () => stop(child),
  };
}

async function bowlineCaller({ bowline, program }: Setting): Promise<Caller> {
  return callerOn(bowline, bowline.childLink(process.execPath, [program("echo-ours")]));
}

async function webSocketCaller({ bowline, program }: Setting): Promise<Caller> {
  const child = start(program("echo-websocket"));
  const [port] = await once(child.stdout, "data");
  const { call, close } = await callerOn(bowline, bowline.webSocketLink(`ws://127.0.0.1:${String(port).trim()}/`));
  return {
    call,
    async close() {
      await close();
      await stop(child);
    },
  };
}

async function callerOn({ client }: Bowline, link: Link): Promise<Caller> {
  const connection = await client(link, {
    info: { name: "bench", version: "0" },
    handlers: () => ({
      "session/update": () => {},
      "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
    }),
  });
  return {
    call: (params) => connection.callExtension("_echo", params),
    close: () => connection.close("the bench is over"),
  };
}

function officialCaller({ program }: Setting): Caller {
  const child = start(program("echo-official"));
  const { agent, close } = connectOfficial(child);
  return {
    call: (params) => agent.request("_echo", params),
    close() {
      close();
      return stop(child);
    },
  };
}

function connectOfficial(child: Child) {
  const connection = officialClient().connect(
    ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>),
  );
  return { agent: connection.agent, close: () => connection.close() };
}

function vscodeCaller({ program }: Setting): Caller {
  const child = start(program("echo-vscode"));
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  connection.listen();
  return {
    call: (params) => connection.sendRequest("_echo", params),
    close() {
      connection.dispose();
      return stop(child);
    },
  };
}
