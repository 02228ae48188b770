/**
 * PacketHistory: what it stores of a stream, and that a page built from it equals the live page.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type SessionUpdate, toolContent, update } from "../../lib/acp/index.ts";
import { type Packet, PacketHistory, PacketStream, StoredPacket } from "../../lib/packets/index.ts";
import { livePage, storedPage } from "../support/packets/page-model.ts";
import { acpPackets, acpRecordings, cliPackets, cliRecordings } from "../support/packets/recorded-packets.ts";

function historyOf(packets: readonly Packet[], maxPackets?: number): PacketHistory {
  const history = new PacketHistory({ maxPackets });
  for (const packet of packets) history.add(packet);
  return history;
}

function ticking(): () => number {
  let ms = Date.UTC(2026, 0, 22);
  return () => ms++;
}

describe("PacketHistory", () => {
  for (const name of acpRecordings) {
    it(`the stored packets of ${name} build the same page as the live ones`, () => {
      const { packets, running } = historyOf(acpPackets(name));
      assert.deepEqual(running, []);
      assert.deepEqual(storedPage(packets), livePage(acpPackets(name)));
    });
  }

  for (const name of cliRecordings) {
    it(`the stored packets of the CLI recording ${name} build the same page as the live ones`, () => {
      assert.deepEqual(storedPage(historyOf(cliPackets(name)).packets), livePage(cliPackets(name)));
    });
  }

  it("stored packets match their schema and include no packet that only announces a start", () => {
    for (const name of acpRecordings) {
      for (const packet of historyOf(acpPackets(name)).packets) {
        assert.equal(StoredPacket.read(packet), packet);
        if (packet.type === "tool_call_progress") assert.notEqual(packet.status, "in_progress");
      }
    }
  });

  it("consecutive chunks of one type are stored as one packet with the first chunk's timestamp", () => {
    const stream = new PacketStream({ now: ticking() });
    const packets = [
      ...stream.prompt([{ type: "text", text: "hi" }]),
      ...stream.update(update.agentThought("hm")),
      ...stream.update(update.agentThought("m")),
      ...stream.update(update.agentMessage("one ")),
      ...stream.update(update.agentMessage("two")),
      ...stream.update(update.agentThought("and")),
      ...stream.update(update.agentMessage("three")),
      ...stream.answered({ stopReason: "end_turn" }),
    ];
    const kept = historyOf(packets).packets;
    const words = kept.map((packet) => [packet.type, "content" in packet && textOf(packet.content), packet.turn_index]);
    assert.deepEqual(words, [
      ["user_message", "hi", 0],
      ["agent_thought", "hmm", 0],
      ["agent_message", "one two", 0],
      ["agent_thought", "and", 0],
      ["agent_message", "three", 0],
      ["prompt_response", false, 0],
    ]);
    assert.equal(kept[1]?.timestamp, packets[1]?.timestamp);
    assert.deepEqual(kept[2], {
      _meta: null,
      content: { _meta: null, annotations: null, text: "one two", type: "text" },
      sessionUpdate: "agent_message",
      type: "agent_message",
      timestamp: packets[3]?.timestamp,
      turn_index: 0,
    });
  });

  it("an image between two texts keeps its position", () => {
    const stream = new PacketStream({ now: ticking() });
    const image = { type: "image", data: "AA==", mimeType: "image/png" } as const;
    const packets = [
      ...stream.update(update.agentMessage("before")),
      ...stream.update({ sessionUpdate: "agent_message_chunk", content: image }),
      ...stream.update(update.agentMessage("after")),
    ];
    const { packets: kept } = historyOf(packets);
    assert.deepEqual(
      kept.map((packet) => "content" in packet && !Array.isArray(packet.content) && packet.content),
      packets.map((packet) => "content" in packet && packet.content),
    );
  });

  it("a tool call is stored once, when it has ended, at the position where it began", () => {
    const stream = new PacketStream({ now: ticking() });
    const history = new PacketHistory();
    const add = (packets: readonly Packet[]): void => packets.forEach((packet) => history.add(packet));
    add(stream.update(update.toolCall({ toolCallId: "a", title: "a", name: "Bash", kind: "execute" })));
    add(stream.update(update.toolCallUpdate({ toolCallId: "a", status: "in_progress", rawInput: { command: "a" } })));
    add(stream.update(update.agentMessage("meanwhile")));
    assert.deepEqual(typesOf(history.packets), ["agent_message"]);
    assert.deepEqual(
      history.running.map((packet) => "status" in packet && packet.status),
      ["in_progress"],
    );
    add(stream.update(update.toolCallUpdate({ toolCallId: "a", status: "completed" })));
    assert.deepEqual(typesOf(history.packets), ["tool_call_progress", "agent_message"]);
    assert.deepEqual(history.running, []);
  });

  it("a tool call that ends in a later turn is stored in the turn it began in", () => {
    const stream = new PacketStream({ now: ticking() });
    const packets = [
      ...stream.prompt([{ type: "text", text: "one" }]),
      ...stream.update(update.toolCall({ toolCallId: "a", title: "a", name: "Agent", kind: "think" })),
      ...stream.answered({ stopReason: "end_turn" }),
      ...stream.prompt([{ type: "text", text: "two" }]),
      ...stream.update(update.toolCallUpdate({ toolCallId: "a", status: "completed" })),
    ];
    const turns = historyOf(packets).packets.map(({ type, turn_index }) => [type, turn_index]);
    assert.deepEqual(turns, [
      ["user_message", 0],
      ["tool_call_progress", 0],
      ["prompt_response", 0],
      ["user_message", 1],
    ]);
  });

  it("the history stores the latest plan of each turn", () => {
    const stream = new PacketStream({ now: ticking() });
    const plan = (content: string): readonly Packet[] =>
      stream.update(update.plan([{ content, priority: "medium", status: "pending" }]));
    const packets = [
      ...stream.prompt([{ type: "text", text: "one" }]),
      ...plan("a"),
      ...stream.update(update.agentMessage("words")),
      ...plan("b"),
      ...stream.prompt([{ type: "text", text: "two" }]),
      ...plan("c"),
    ];
    const plans = historyOf(packets).packets.flatMap((packet) =>
      packet.type === "agent_plan_update" ? [[packet.turn_index, packet.entries[0]?.content]] : [],
    );
    assert.deepEqual(plans, [
      [0, "b"],
      [1, "c"],
    ]);
  });

  it("two user messages in direct succession are stored as two packets", () => {
    const stream = new PacketStream({ now: ticking() });
    const words = (text: string, messageId: string): readonly Packet[] =>
      stream.update({ sessionUpdate: "user_message_chunk", content: { type: "text", text }, messageId });
    const { packets } = historyOf([...words("o", "1"), ...words("ne", "1"), ...words("two", "2")]);
    assert.deepEqual(
      packets.map((packet) => [packet.turn_index, "content" in packet && textOf(packet.content)]),
      [
        [0, "one"],
        [1, "two"],
      ],
    );
  });

  it("a permission request counts as running until it is answered", () => {
    const stream = new PacketStream({ now: ticking() });
    const request = { sessionId: "s", toolCall: { toolCallId: "a", title: "May I?" }, options: [] };
    const history = historyOf(stream.permission("7", request));
    assert.deepEqual(typesOf(history.running), ["permission_request"]);
    for (const packet of stream.permissionResolved("7", { outcome: "cancelled" })) history.add(packet);
    assert.deepEqual([history.running, history.packets], [[], []]);
  });

  it("the history drops its oldest entries beyond maxPackets", () => {
    const stream = new PacketStream({ now: ticking() });
    const packets = Array.from({ length: 30 }, (_, i) =>
      stream.update(update.plan([])).concat(stream.prompt([{ type: "text", text: String(i) }])),
    ).flat();
    const { packets: kept } = historyOf(packets, 5);
    assert.equal(kept.length, 5);
    assert.equal(kept.at(-1)?.type, "user_message");
    assert.equal(kept.at(-1)?.turn_index, 29);
  });

  it("the history drops its oldest entries beyond maxChars", () => {
    const stream = new PacketStream({ now: ticking() });
    const history = new PacketHistory({ maxChars: 100_000 });
    const text = "x".repeat(30_000);
    for (let i = 0; i < 20; i++) {
      for (const packet of [
        ...stream.prompt([{ type: "text", text: `${i} ${text}` }]),
        ...stream.update(update.agentMessage(text)),
        ...stream.update(update.agentMessage(text)),
        ...stream.answered({ stopReason: "end_turn" }),
      ])
        history.add(packet);
      assert.ok(JSON.stringify(history.packets).length < 102_000);
    }
    assert.deepEqual(
      history.packets.map(({ type, turn_index }) => `${turn_index} ${type}`),
      ["18 prompt_response", "19 user_message", "19 agent_message", "19 prompt_response"],
    );
    // An entry that exceeds the limit alone is the only one kept.
    for (const packet of stream.update(update.agentMessage("y".repeat(200_000)))) history.add(packet);
    assert.deepEqual(
      history.packets.map(({ type }) => type),
      ["agent_message"],
    );
  });

  it("stored packets of random update sequences build the same page as the live ones", () => {
    const ids = fc.constantFrom("a", "b", "c");
    const step: fc.Arbitrary<(stream: PacketStream) => readonly Packet[]> = fc.oneof(
      fc.string().map((text) => (stream: PacketStream) => stream.update(update.agentMessage(text))),
      fc.string().map((text) => (stream: PacketStream) => stream.update(update.agentThought(text))),
      fc.string().map((text) => (stream: PacketStream) => stream.prompt([{ type: "text", text }])),
      fc.constant((stream: PacketStream) => stream.answered({ stopReason: "end_turn" })),
      fc.constant((stream: PacketStream) => stream.failed({ message: "no" })),
      fc
        .array(fc.string(), { maxLength: 2 })
        .map(
          (texts) => (stream: PacketStream) =>
            stream.update(update.plan(texts.map((content) => ({ content, priority: "low", status: "pending" })))),
        ),
      fc
        .record({
          toolCallId: ids,
          name: fc.constantFrom("Bash", "Write", "TodoWrite", "Agent", "Glob", "mcp__x__y"),
          status: fc.constantFrom("pending", "in_progress", "completed", "failed"),
          path: fc.constantFrom("/p/a.md", "/p/index.html", "/p/b.ts"),
        })
        .map(({ toolCallId, name, status, path }) => (stream: PacketStream) => {
          const content = name === "Write" ? [toolContent.diff(path, null, "x")] : [toolContent.block(name)];
          const change: SessionUpdate = { sessionUpdate: "tool_call_update", toolCallId, name, status, content };
          return stream.update(change);
        }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const stream = new PacketStream({ now: ticking() });
        // Calls that still run at the end are marked as failed, as when a session fails.
        const packets = [...steps, (one: PacketStream) => one.failed({ message: "over" })].flatMap((run) =>
          run(stream),
        );
        const { packets: kept, running } = historyOf(packets);
        assert.deepEqual(running, []);
        assert.deepEqual(storedPage(kept), livePage(packets));
        for (const packet of kept) assert.equal(StoredPacket.read(packet), packet);
      }),
    );
  });
});

function typesOf(packets: readonly { readonly type: string }[]): readonly string[] {
  return packets.map(({ type }) => type);
}

function textOf(content: unknown): unknown {
  return typeof content === "object" && content !== null && "text" in content ? content.text : undefined;
}
