/**
 * Functions for readers of packets: either spelling of keys gives the same answer, and none throws.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  getFilePath,
  getPacketType,
  isNewFileOperation,
  isTaskTool,
  isTodoWriteTool,
} from "../../lib/packets/index.ts";
import { hostileValues } from "../support/hostile-values.ts";
import { acpPackets, acpRecordings, cliPackets, cliRecordings } from "../support/packets/recorded-packets.ts";
import * as seed from "../support/packets/reference-packets.ts";

const recorded: readonly seed.Json[] = [
  ...acpRecordings.flatMap((name) => acpPackets(name)),
  ...cliRecordings.flatMap((name) => cliPackets(name)),
].map((packet) => ({ ...packet }));

describe("functions for readers of packets", () => {
  it("the functions agree with the protocol's description on every packet of every recording", () => {
    assert.ok(recorded.length > 1000);
    for (const packet of recorded) {
      const { type: _, ...typeless } = packet;
      const isNotice = packet["type"] === "notice";
      assert.equal(getPacketType(packet), isNotice ? "notice" : seed.packetType(packet));
      const hasOther = ["agent_thought_chunk", "user_message_chunk", "notice"].includes(String(packet["type"]));
      assert.equal(getPacketType(typeless), hasOther ? packet["type"] : seed.packetType(typeless));
      assert.equal(isTodoWriteTool(packet), seed.isTodoWriteTool(packet));
      assert.equal(isTaskTool(packet), seed.isTaskTool(packet));
      assert.equal(getFilePath(packet), seed.getFilePath(packet));
      assert.equal(isNewFileOperation(packet), seed.isNewFileOperation(packet));
    }
  });

  it("the functions give the same answers when every key is in snake_case", () => {
    for (const packet of recorded) {
      const { type: _, ...typeless } = packet;
      assert.equal(getPacketType(snake(typeless)), getPacketType(typeless));
      assert.equal(isTodoWriteTool(snake(packet)), isTodoWriteTool(packet));
      assert.equal(isTaskTool(snake(packet)), isTaskTool(packet));
      assert.equal(getFilePath(snake(packet)), getFilePath(packet));
      assert.equal(isNewFileOperation(snake(packet)), isNewFileOperation(packet));
    }
  });

  it("the functions agree with the protocol's description on random objects with packet keys", () => {
    const text = fc.constantFrom("", "task", "Task", "todowrite", "todo_write", "a/b.ts", "bash", "x");
    const path = fc.option(text, { nil: undefined });
    const packet = fc.record(
      {
        type: fc.constantFrom("error", "tool_call_start", "agent_plan_update", "prompt_response"),
        sessionUpdate: fc.constantFrom("plan", "tool_call", "tool_call_update", "agent_message_chunk", "odd"),
        title: text,
        kind: fc.constantFrom("edit", "read", "other"),
        rawInput: fc.record(
          {
            file_path: path,
            filePath: path,
            path,
            todos: fc.array(fc.string()),
            subagent_type: text,
            subagentType: text,
          },
          { requiredKeys: [] },
        ),
        content: fc.array(
          fc.record(
            { type: fc.constantFrom("diff", "content"), path: text, oldText: text },
            { requiredKeys: ["type"] },
          ),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(packet, (one) => {
        assert.equal(getPacketType(one), seed.packetType(one));
        assert.equal(isTodoWriteTool(one), seed.isTodoWriteTool(one));
        assert.equal(isTaskTool(one), seed.isTaskTool(one));
        assert.equal(getFilePath(one), seed.getFilePath(one));
        assert.equal(isNewFileOperation(one), seed.isNewFileOperation(one));
      }),
      { numRuns: 500 },
    );
  });

  it("the functions ignore values that are no packets, and unknown packet types", () => {
    for (const [what, value] of hostileValues) {
      for (const packet of [value, { type: value }, { title: value, rawInput: value, content: value, kind: "edit" }]) {
        assert.equal(getPacketType(packet), undefined, what);
        assert.equal(typeof isTodoWriteTool(packet), "boolean");
        assert.equal(typeof isTaskTool(packet), "boolean");
        assert.equal(typeof getFilePath(packet), "string");
        assert.ok([true, false, undefined].includes(isNewFileOperation(packet)));
      }
    }
    for (const type of ["toString", "__proto__", "constructor", "approval_requested"]) {
      assert.equal(getPacketType({ type, sessionUpdate: "plan" }), undefined, type);
    }
  });

  it("the functions read a packet's own keys only", () => {
    const inherited: unknown = Object.create({ type: "error", title: "task", rawInput: { path: "/a" }, kind: "edit" });
    assert.deepEqual([getPacketType(inherited), isTaskTool(inherited), getFilePath(inherited)], [undefined, false, ""]);
  });

  it("getFilePath returns a path below the root as a relative path", () => {
    const packet = { rawInput: { filePath: "/work/src/a.ts" } };
    assert.equal(getFilePath(packet), "/work/src/a.ts");
    assert.equal(getFilePath(packet, "/work"), "src/a.ts");
    assert.equal(getFilePath(packet, "/work/"), "src/a.ts");
    assert.equal(getFilePath(packet, "/wo"), "/work/src/a.ts");
    assert.equal(getFilePath({ title: "C:\\work\\a.ts" }, "C:\\work"), "a.ts");
  });
});

/** The packet with every key in snake_case. */
function snake(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snake);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snake(one),
    ]),
  );
}
