/**
 * docs/packets.md: every example is a line of a golden file, and every packet type and function is documented.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { packetsCommand } from "../../lib/program/commands/packets.ts";
import * as bowline from "../../lib/exports/packets.ts";
import { Packet, PacketHistory, StoredPacket } from "../../lib/packets/index.ts";
import { Fault } from "../../lib/schema/index.ts";
import { filesBelow, readText } from "../support/files.ts";

const page = readText("docs/packets.md");
const examples = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].flatMap(([, body = ""]) =>
  body.trimEnd().split("\n"),
);

/** Packets that only a client with forms and notices gets, which no golden file has. */
const unrecorded = [...page.matchAll(/^```text\n(\{"_meta"[\s\S]*?)^```$/gm)].flatMap(([, body = ""]) =>
  body.trimEnd().split("\n"),
);

/** Every line of the golden files, and the stored packets made from them. */
const recorded = new Set(
  filesBelow(["fixtures/packets"], ".ndjson").flatMap((path) => {
    const lines = readText(path).trimEnd().split("\n");
    const history = new PacketHistory();
    for (const line of lines) {
      const packet = Packet.read(JSON.parse(line));
      assert.ok(!(packet instanceof Fault));
      history.add(packet);
    }
    return [...lines, ...history.packets.map((packet) => JSON.stringify(packet))];
  }),
);

describe("docs/packets.md", () => {
  it("every example in docs/packets.md comes from a golden file", () => {
    assert.ok(examples.length > 15);
    for (const example of examples) assert.ok(recorded.has(example), example);
  });

  it("docs/packets.md has an example of each packet type, live and stored", () => {
    for (const example of unrecorded) assert.ok(!(Packet.read(JSON.parse(example)) instanceof Fault), example);
    const shown = new Set([...examples, ...unrecorded].map((example) => String(JSON.parse(example).type)));
    const types = [Packet.node, StoredPacket.node].flatMap((node) =>
      node.kind === "tagged" ? Object.keys(node.variants) : [],
    );
    assert.deepEqual([...shown].toSorted(), [...new Set(types)].toSorted());
  });

  it("docs/packets.md names each option of `bowline packets`, and the library exports each function it names", () => {
    for (const flag of Object.keys(packetsCommand.options)) assert.ok(page.includes(`[${flag}`), flag);
    for (const [, name = ""] of page.matchAll(/^\| `(\w+)(?:\.read)?\(/gm)) assert.ok(name in bowline, name);
    for (const name of ["PacketStream", "PacketHistory"]) assert.ok(name in bowline && page.includes(name), name);
  });
});
