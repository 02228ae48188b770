/**
 * An agent and a client in one process, for each of the contestants.
 *
 * The floor only stringifies and parses each message.
 */
import { PassThrough } from "node:stream";
import { agent as officialAgent, client as officialClient, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type { Bowline } from "./bundle.ts";
import { textChunk, textOf } from "./messages.ts";
import { type ContestantName, type Contestants, type Run, timedAsync } from "./measure.ts";

/** An agent and a client that know each other. */
export interface Pair {
  readonly update: (sessionId: string, text: string) => Promise<unknown>;
  /** Called for every update that has arrived. */
  onUpdate: () => void;
}

export async function pairContest(bowline: Bowline, run: (pair: Pair) => Run): Promise<Contestants> {
  const pairs: Partial<Record<ContestantName, Pair>> = {
    floor: floorPair(),
    ours: await bowlinePair(bowline),
    "official SDK": officialPair(),
    "vscode-jsonrpc": vscodePair(),
  };
  return Object.fromEntries(Object.entries(pairs).map(([name, pair]) => [name, run(pair)]));
}

/** The CPU time of `count` updates from so many sessions at once, until the last has arrived. */
export function stream(pair: Pair, sessions: number, count: number, text = textOf): Promise<number> {
  return timedAsync(async () => {
    let arrived = 0;
    const all = new Promise<void>((resolve) => {
      pair.onUpdate = () => {
        if (++arrived === count) resolve();
      };
    });
    const turn = async (sessionId: string): Promise<void> => {
      for (let i = 0; i < count / sessions; i++) await pair.update(sessionId, text(i));
    };
    await Promise.all(Array.from({ length: sessions }, (_, i) => turn(`sess_0197c1f4a6b2${1000 + i}`)));
    await all;
  });
}

function floorPair(): Pair {
  const pair: Pair = {
    async update(sessionId, text) {
      const { jsonrpc, method, params } = textChunk(text);
      const line = JSON.stringify({ jsonrpc, method, params: { ...params, sessionId } });
      if (JSON.parse(line) !== null) pair.onUpdate();
    },
    onUpdate() {},
  };
  return pair;
}

async function bowlinePair({ agent, client, memoryPair, update }: Bowline): Promise<Pair> {
  const info = { name: "bench", version: "0" };
  const [near, far] = memoryPair();
  const connection = agent(near, {
    info,
    handlers: () => ({
      "session/new": () => ({ sessionId: "" }),
      "session/prompt": () => ({ stopReason: "end_turn" }),
    }),
  });
  const pair: Pair = {
    update: (sessionId, text) => connection.update(sessionId, update.agentMessage(text)),
    onUpdate() {},
  };
  await client(far, {
    info,
    handlers: () => ({
      "session/update": () => pair.onUpdate(),
      "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
    }),
  });
  return pair;
}

function officialPair(): Pair {
  const there = new TransformStream<Uint8Array, Uint8Array>();
  const back = new TransformStream<Uint8Array, Uint8Array>();
  const { client } = officialAgent().connect(ndJsonStream(there.writable, back.readable));
  const pair: Pair = {
    update: (sessionId, text) => client.notify(methods.client.session.update, { ...textChunk(text).params, sessionId }),
    onUpdate() {},
  };
  officialClient()
    .onNotification(methods.client.session.update, () => pair.onUpdate())
    .connect(ndJsonStream(back.writable, there.readable));
  return pair;
}

function vscodePair(): Pair {
  const there = new PassThrough();
  const back = new PassThrough();
  const near = createMessageConnection(new StreamMessageReader(back), new StreamMessageWriter(there));
  const far = createMessageConnection(new StreamMessageReader(there), new StreamMessageWriter(back));
  const pair: Pair = {
    update: (sessionId, text) => near.sendNotification("session/update", { ...textChunk(text).params, sessionId }),
    onUpdate() {},
  };
  far.onNotification("session/update", () => pair.onUpdate());
  near.listen();
  far.listen();
  return pair;
}
