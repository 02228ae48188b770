/**
 * Hostile input: whatever an agent sends, every packet matches its schema, and memory
 * and time stay bounded.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SessionUpdate, toolContent, update } from "../../lib/acp/index.ts";
import * as packetModule from "../../lib/packets/index.ts";
import { Packet, PacketHistory, PacketStream } from "../../lib/packets/index.ts";
import { Fault, type Schema } from "../../lib/schema/index.ts";
import { hostileValues } from "../support/hostile-values.ts";
import { fixedNow } from "../support/packets/recorded-packets.ts";
import { processorMs } from "../support/growth.ts";

const fields = "title name kind status content locations rawInput rawOutput _meta toolCallId entries messageId".split(
  " ",
);
const kinds = ["tool_call", "tool_call_update", "plan", "agent_message_chunk", "user_message_chunk"];

function streamed(given: unknown): readonly Packet[] {
  const read = SessionUpdate.read(JSON.parse(JSON.stringify(given)));
  if (read instanceof Fault) return [];
  const stream = new PacketStream({ now: () => fixedNow, cwd: "/work" });
  const packets = [...stream.update(read), ...stream.update(read), ...stream.answered({ stopReason: "cancelled" })];
  const history = new PacketHistory();
  for (const packet of packets) {
    assert.equal(Packet.read(packet), packet);
    history.add(packet);
  }
  assert.ok(JSON.stringify(history.packets).length > 0);
  return packets;
}

describe("PacketStream with hostile input", () => {
  it("packets match their schema when any field of an update has a hostile value", () => {
    let met = 0;
    for (const [, value] of hostileValues) {
      if (!isJson(value)) continue;
      for (const sessionUpdate of kinds) {
        for (const field of fields) {
          const base = {
            sessionUpdate,
            toolCallId: "a",
            title: "t",
            status: "completed",
            content: undefined,
            entries: [],
          };
          const packets = streamed({ ...base, [field]: value });
          met += packets.length;
        }
      }
    }
    assert.ok(met > 500);
    assert.equal(Object.hasOwn(Object.prototype, "isAdmin"), false);
  });

  it("packets match their schema when any part of a tool's input has a hostile value", () => {
    const names = "Read Write Edit MultiEdit NotebookEdit Bash Agent TodoWrite Grep x".split(" ");
    const keys = "file_path content old_string edits command description prompt subagent_type todos pattern".split(" ");
    for (const [, value] of hostileValues) {
      if (!isJson(value)) continue;
      // A large value is put in all places at once; one place at a time would cost its size a hundred times.
      const isLarge = JSON.stringify(value).length > 10_000;
      const inputs = isLarge
        ? [Object.fromEntries(keys.map((key) => [key, value]))]
        : keys.map((key) => ({ todos: [value], [key]: value }));
      for (const name of names) {
        for (const rawInput of inputs) {
          const given = {
            sessionUpdate: "tool_call",
            toolCallId: "a",
            title: "t",
            name,
            status: "completed",
            rawInput,
          };
          assert.ok(streamed(given).length >= 2);
        }
      }
    }
  });

  it("a `__proto__` key in a tool's input stays an ordinary key", () => {
    const rawInput: unknown = JSON.parse('{"__proto__":{"isAdmin":true},"command":"x","file_path":"/a"}');
    for (const name of ["Bash", "Write", "Edit", "Read", "Agent", "other"]) {
      const given = { sessionUpdate: "tool_call", toolCallId: "a", title: "t", name, status: "completed", rawInput };
      const end = streamed(given).find(({ type }) => type === "tool_call_progress");
      assert.ok(end?.type === "tool_call_progress");
      assert.ok(Object.hasOwn(end.rawInput, "__proto__"), name);
      assert.equal("isAdmin" in end.rawInput, false);
    }
  });

  it("a huge diff takes time proportional to its size", () => {
    const newText = "const line = 'of a file that nobody should write in one go';\n".repeat(200_000);
    const begun = processorMs();
    const [, end] = new PacketStream({ now: () => fixedNow }).update(
      update.toolCallUpdate({
        toolCallId: "a",
        name: "Write",
        kind: "edit",
        status: "completed",
        content: [toolContent.diff("/work/big.ts", null, newText)],
      }),
    );
    assert.ok(end?.type === "tool_call_progress" && end.rawInput["content"] === newText);
    assert.ok(processorMs() - begun < 1000);
  });

  it("a huge read and a huge search result take time proportional to their size", () => {
    const texts = ["`".repeat(2_000_000), "a-1".repeat(700_000), "x:1:\n".repeat(400_000), `${" \n".repeat(500_000)}x`];
    for (const name of ["Read", "Grep", "Bash", "Agent", "WebFetch"]) {
      for (const words of texts) {
        const begun = processorMs();
        const content = [toolContent.block(words)];
        new PacketStream({ now: () => fixedNow }).update(
          update.toolCallUpdate({ toolCallId: "a", name, status: "completed", content }),
        );
        assert.ok(processorMs() - begun < 3000, `${name} ${words.slice(0, 3)}`);
      }
    }
  });

  it("control characters and lone surrogates survive in packets as JSON escapes", () => {
    const words = "\u0000\u0001\uD800 \uDFFF\u2028\u2029\uFEFF\u001b[31m";
    const packets = new PacketStream({ now: () => fixedNow }).update(
      update.toolCallUpdate({
        toolCallId: "a",
        name: "Bash",
        status: "completed",
        content: [toolContent.block(words)],
      }),
    );
    assert.deepEqual(JSON.parse(JSON.stringify(packets)), packets);
    const line = JSON.stringify(packets);
    assert.ok(!line.includes("\n") && !line.includes("\u0000"));
  });

  it("a stream keeps a bounded number of tool calls and drops ended ones first", () => {
    const stream = new PacketStream({ now: () => fixedNow });
    stream.update(update.toolCall({ toolCallId: "first", title: "First", name: "Agent" }));
    for (let i = 0; i < 3000; i++) {
      const ended = update.toolCallUpdate({ toolCallId: `call-${i}`, status: "completed" });
      assert.equal(stream.update(ended).length, 2);
    }
    const end = stream.update(update.toolCallUpdate({ toolCallId: "first", status: "completed" }));
    assert.deepEqual(
      end.map(({ type }) => type),
      ["tool_call_progress"],
    );
  });

  it("a stream keeps a bounded amount of terminal output", () => {
    const stream = new PacketStream({ now: () => fixedNow });
    const data = "x".repeat(1_000_000);
    for (let i = 0; i < 20; i++) {
      stream.update(update.toolCallUpdate({ toolCallId: "a", name: "Bash", _meta: { terminal_output: { data } } }));
    }
    const [end] = stream.update(update.toolCallUpdate({ toolCallId: "a", status: "completed" }));
    assert.ok(end?.type === "tool_call_progress");
    assert.ok(String(end.rawOutput?.["output"]).length <= 4_000_000);
  });
});

describe("packet schemas", () => {
  const schemas = Object.entries(packetModule).flatMap(([name, value]): [string, Schema<unknown>][] =>
    typeof value === "object" && "read" in value ? [[name, value]] : [],
  );

  it("every packet schema reads or rejects each hostile value without throwing", () => {
    assert.ok(schemas.length > 20);
    for (const [name, schema] of schemas) {
      for (const [what, value] of hostileValues) {
        const got = schema.read(value);
        assert.ok(got instanceof Fault || got === value, `${name}: ${what}`);
      }
    }
  });

  it("the packet schema reports the path and the expectation of an invalid field", () => {
    const wrong: readonly (readonly [unknown, string])[] = [
      [{ type: "odd" }, "type must be one of"],
      [{ type: "error" }, "message must be given"],
      [{ type: "prompt_response", _meta: null, stopReason: "x" }, "_meta must be an object"],
      [
        { type: "agent_plan_update", sessionUpdate: "plan", _meta: 1, timestamp: "", entries: [] },
        "_meta must be an object",
      ],
      [{ type: "permission_resolved", _meta: 1, optionId: null, requestId: "1", timestamp: "" }, "_meta must be null"],
    ];
    for (const [packet, expected] of wrong) {
      const got = Packet.read(packet);
      assert.ok(
        got instanceof Fault && got.describe().startsWith(expected),
        got instanceof Fault ? got.describe() : "",
      );
    }
  });
});

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
