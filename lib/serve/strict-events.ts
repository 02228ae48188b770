/**
 * Reduces the events of a session to the original packet protocol, for clients that accept
 * nothing else. Events keep their ids; those that the protocol lacks are left out.
 */
import { type Packet, strictPackets } from "../packets/index.ts";
import { eventFrame } from "./event-stream.ts";

/** The encoded event in strict form; empty when the protocol lacks it. */
export function strictEvent(frame: Buffer): Buffer {
  const text = frame.toString();
  const id = Number(/^id: (\d+)\n/.exec(text)?.[1] ?? 0);
  const from = text.indexOf("\ndata: ") + "\ndata: ".length;
  // The log holds what `JSON.stringify` made of packets.
  const packets = strictPackets(JSON.parse(text.slice(from)) as Packet);
  return Buffer.from(packets.map((packet) => eventFrame(id, JSON.stringify(packet))).join(""));
}
