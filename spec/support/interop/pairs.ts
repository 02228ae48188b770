/**
 * Connects the client of one library with the agent of the other, in every way.
 *
 * Over real child processes in both combinations, and in one process over web streams of
 * bytes and of messages.
 */
import * as acp from "@agentclientprotocol/sdk";
import { type Link, webLink, webMessageLink } from "../../../lib/index.ts";
import type { Caller } from "./caller.ts";
import type { ScriptedClient } from "./scripted-client.ts";
import { type Official, officialAgent, officialClient, type Stream } from "./official.ts";
import { ourAgent, ourClient } from "./ours.ts";
import { end, linkTo, start, streamOf } from "./program.ts";

export interface Pair {
  readonly name: string;
  /** Whose the client is; the agent is the other's. */
  readonly client: "ours" | "official";
  readonly connect: (scripted: ScriptedClient) => Promise<Caller>;
}

export const processPairs: readonly Pair[] = [
  {
    name: "the official client and our agent in a child process",
    client: "official",
    connect: async (scripted) => {
      const child = await start("our-agent");
      return officialClient(acp, streamOf(child), scripted).initialize(() => end(child));
    },
  },
  {
    name: "our client and the official agent in a child process",
    client: "ours",
    connect: async (scripted) => ourClient(await linkTo("official-agent"), scripted),
  },
];

const messages = { of: "messages", join: joinMessages };
const bytes = { of: "bytes", join: joinBytes };

export const streamPairs: readonly Pair[] = [messages, bytes].flatMap(({ of, join }): Pair[] => [
  {
    name: `the official client and our agent over a stream of ${of}`,
    client: "official",
    connect: (scripted) => officialWithOurs(acp, join(), scripted),
  },
  {
    name: `our client and the official agent over a stream of ${of}`,
    client: "ours",
    connect: (scripted) => oursWithOfficial(acp, join(), scripted),
  },
]);

export const pairs: readonly Pair[] = [...processPairs, ...streamPairs];

/** Two ends of one connection in this process. */
export interface Joint {
  readonly link: Link;
  readonly stream: Stream;
}

export async function officialWithOurs(
  entry: Official,
  { link, stream }: Joint,
  scripted: ScriptedClient,
): Promise<Caller> {
  const served = ourAgent(link);
  return officialClient(entry, stream, scripted).initialize(() => served.settled);
}

export async function oursWithOfficial(
  entry: Official,
  { link, stream }: Joint,
  scripted: ScriptedClient,
): Promise<Caller> {
  const served = officialAgent(entry, stream);
  const caller = await ourClient(link, scripted);
  return {
    ...caller,
    close: async () => {
      await caller.close();
      await served.closed;
    },
  };
}

/** Our link and the SDK's stream, passing whole messages. */
export function joinMessages(): Joint {
  const there = new TransformStream<object, object>();
  const back = new TransformStream<object, object>();
  return {
    link: webMessageLink({ readable: back.readable, writable: there.writable }),
    stream: { readable: there.readable, writable: back.writable } as Stream,
  };
}

/** Our link and the SDK's stream, each with its own framing of the same bytes. */
function joinBytes(): Joint {
  const there = new TransformStream<Uint8Array, Uint8Array>();
  const back = new TransformStream<Uint8Array, Uint8Array>();
  return {
    link: webLink({ readable: back.readable, writable: there.writable }),
    stream: acp.ndJsonStream(back.writable, there.readable),
  };
}
