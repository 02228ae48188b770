/**
 * Every recording of the project as packets, with a stopped clock.
 */
import { LineParser } from "../../../lib/program/packets/line-parser.ts";
import { BadLine } from "../../../lib/program/packets/packet-line.ts";
import type { Packet } from "../../../lib/packets/index.ts";
import { filesBelow, readText } from "../files.ts";

/** 2026-01-22T19:13:30.917345Z. */
export const fixedNow = Date.UTC(2026, 0, 22, 19, 13, 30) + 917.345;

/** Recordings of an editor and our agent, by name. */
export const acpRecordings: readonly string[] = namesIn("fixtures/acp");
/** Recordings of the Claude CLI and its host, by name. */
export const cliRecordings: readonly string[] = namesIn("fixtures/claude");

export function acpPackets(name: string, isStrict = false): readonly Packet[] {
  return packetsIn(readText(`fixtures/acp/${name}.ndjson`), isStrict);
}

export function cliPackets(name: string): readonly Packet[] {
  return packetsIn(readText(`fixtures/claude/${name}.ndjson`));
}

function packetsIn(text: string, isStrict = false): readonly Packet[] {
  const lines = new LineParser({ now: () => fixedNow, isStrict, cwd: undefined });
  return text
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      const told = lines.line(line);
      if (told instanceof BadLine) throw new Error(told.why);
      return told.map(({ packet }) => packet);
    });
}

/** As in the golden files: one packet a line. */
export function asLines(packets: readonly unknown[]): string {
  return packets.map((packet) => `${JSON.stringify(packet)}\n`).join("");
}

/** Packets with each run of chunks of one kind joined, since a recording may split text elsewhere. */
export function withWholeChunks(packets: readonly Packet[]): readonly Packet[] {
  const whole: Packet[] = [];
  for (const packet of packets) {
    const last = whole.at(-1);
    if (isText(packet) && last !== undefined && isText(last) && last.type === packet.type) {
      const text = last.content.text + packet.content.text;
      whole[whole.length - 1] = { ...packet, content: { ...packet.content, text } };
    } else {
      whole.push(packet);
    }
  }
  return whole;
}

type Chunk = Extract<Packet, { readonly type: "agent_message_chunk" | "agent_thought_chunk" }>;
type TextChunk = Chunk & { readonly content: { readonly type: "text"; readonly text: string } };

function isText(packet: Packet): packet is TextChunk {
  const isChunk = packet.type === "agent_message_chunk" || packet.type === "agent_thought_chunk";
  return isChunk && packet.content.type === "text";
}

function namesIn(folder: string): readonly string[] {
  return filesBelow([folder], ".ndjson").map((path) => path.slice(folder.length + 1, -".ndjson".length));
}
