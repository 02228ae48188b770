/**
 * Specs of the builders: their values match the official schema, and our own schemas
 * read them back as the same objects.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  block,
  configOption,
  ContentBlock,
  location,
  permissionOption,
  PermissionOption,
  planEntry,
  PlanEntry,
  SessionConfigOption,
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
  toolContent,
  update,
} from "../../lib/acp/index.ts";
import type { Schema } from "../../lib/schema/index.ts";
import { officialFaults } from "../support/acp/official-schema.ts";

const option = { value: "fast", name: "Fast" };
const select = { name: "Model", currentValue: "fast" };
const options = [configOption.select("model", [option], select), configOption.boolean("web", boolean(true))];

const blocks = {
  text: [block.text("hello"), block.text("")],
  image: [block.image("aGk=", "image/png"), block.image("aGk=", "image/png", "file:///a.png")],
  audio: [block.audio("aGk=", "audio/wav")],
  link: [
    block.link("file:///a", "a"),
    block.link("file:///a", "a", {
      title: "A",
      description: null,
      mimeType: "text/plain",
      size: 2 ** 53,
      annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" },
      _meta: { "example.org/key": 1 },
    }),
  ],
  resource: [
    block.resource({ uri: "file:///a", text: "a" }),
    block.resource({ uri: "file:///a", blob: "aGk=", mimeType: "image/png" }),
  ],
};

const toolContents = {
  block: [toolContent.block("done"), toolContent.block(block.image("aGk=", "image/png"))],
  diff: [
    toolContent.diff("/a", null, "new"),
    toolContent.diff("C:\\a", "", "was empty"),
    toolContent.diff("\\\\host\\share\\a", "old", ""),
  ],
  terminal: [toolContent.terminal("terminal-1")],
};

const configOptions = {
  select: [
    configOption.select("model", [option], select),
    configOption.select("mode", [{ ...option, description: "quick" }], {
      ...select,
      description: "how it works",
      category: "mode",
      _meta: { "example.org/icon": "gear" },
    }),
    configOption.select("none", [], select),
  ],
  grouped: [configOption.grouped("model", [{ group: "a", name: "A", options: [option] }], select)],
  boolean: [configOption.boolean("web", boolean(false))],
};

const updates = {
  userMessage: [update.userMessage("hi"), update.userMessage(block.text("hi"), "message-1")],
  agentMessage: [update.agentMessage("hi"), update.agentMessage(blocks.resource[0] ?? "", "message-1")],
  agentThought: [update.agentThought("hm"), update.agentThought("hm", "message-1")],
  toolCall: [
    update.toolCall({ toolCallId: "1", title: "Read a file" }),
    update.toolCall({
      toolCallId: "1",
      title: "Edit a file",
      name: "Edit",
      kind: "edit",
      status: "in_progress",
      content: Object.values(toolContents).flat(),
      locations: [location("/a"), location("/a", 1)],
      rawInput: { path: "/a" },
      rawOutput: "any JSON",
    }),
  ],
  toolCallUpdate: [
    update.toolCallUpdate({ toolCallId: "1" }),
    update.toolCallUpdate({ toolCallId: "1", title: null, kind: null, status: "failed", content: [], locations: null }),
  ],
  plan: [update.plan([]), update.plan([planEntry("first"), planEntry("second", "in_progress", "high")])],
  availableCommands: [
    update.availableCommands([]),
    update.availableCommands([
      { name: "init", description: "begins" },
      { name: "ask", description: "asks", input: { hint: "what" } },
    ]),
  ],
  currentMode: [update.currentMode("plan")],
  configOptions: [update.configOptions(options)],
  sessionInfo: [
    update.sessionInfo({}),
    update.sessionInfo({ title: null }),
    update.sessionInfo({ title: "A", updatedAt: "2026-01-01T00:00:00Z" }),
  ],
  usage: [update.usage(0, 200_000), update.usage(2 ** 53, 2 ** 60, { amount: 0.25, currency: "USD" })],
  notice: [update.notice("info", "Look"), update.notice("custom", "Look", "closely")],
  compaction: [
    update.compaction({ compactionId: "1", status: "in_progress" }),
    update.compaction({ compactionId: "1", status: "completed", summary: [block.text("short")], error: null }),
  ],
  compactionSummary: [update.compactionSummary("1", "so far"), update.compactionSummary("1", block.text("so far"))],
};

describe("block", () => proveAll("ContentBlock", ContentBlock, block, blocks));
describe("toolContent", () => proveAll("ToolCallContent", ToolCallContent, toolContent, toolContents));
describe("configOption", () => proveAll("SessionConfigOption", SessionConfigOption, configOption, configOptions));

describe("update", () => {
  proveAll("SessionUpdate", SessionUpdate, update, updates);

  it("update has a builder for every variant of the union", () => {
    assert.ok(SessionUpdate.node.kind === "tagged");
    const built = new Set(Object.values(updates).flatMap((each) => each.map(({ sessionUpdate }) => sessionUpdate)));
    assert.deepEqual(built, new Set(Object.keys(SessionUpdate.node.variants)));
  });

  it("update writes the tag first, so that it is easy to see in a log", () => {
    for (const built of Object.values(updates).flat()) assert.equal(Object.keys(built)[0], "sessionUpdate");
  });
});

describe("location", () => {
  it("location makes a place that the official schema accepts", () => {
    prove("ToolCallLocation", ToolCallLocation, location("/a"));
    prove("ToolCallLocation", ToolCallLocation, location("/a", 1));
    prove("ToolCallLocation", ToolCallLocation, location("c:/a", 2 ** 32 - 1));
  });

  it("location throws for a line below 1", () => {
    for (const line of [0, -1, 1.5, NaN, Infinity, 2 ** 32]) {
      assert.throws(() => location("/a", line), { name: "RangeError", message: /^a line must be an integer from 1/ });
    }
  });

  it("location throws for a path that is not absolute", () => {
    for (const path of ["", "a", "./a", "../a", "~/a", "C:a", "\\a", "file:///a"]) {
      assert.throws(() => location(path), { name: "RangeError", message: "a path must be absolute" }, path);
      assert.throws(() => location(path, 1), { name: "RangeError" }, path);
      assert.throws(() => toolContent.diff(path, null, ""), { name: "RangeError" }, path);
    }
  });
});

describe("planEntry", () => {
  it("planEntry is pending and of medium priority by default", () => {
    assert.deepEqual(planEntry("a"), { content: "a", priority: "medium", status: "pending" });
    prove("PlanEntry", PlanEntry, planEntry("a"));
    prove("PlanEntry", PlanEntry, planEntry("a", "completed", "low"));
  });
});

describe("permissionOption", () => {
  it("permissionOption makes each kind", () => {
    for (const kind of ["allow_once", "allow_always", "reject_once", "reject_always"] as const) {
      prove("PermissionOption", PermissionOption, permissionOption(kind, "id", "Name"));
    }
  });
});

function boolean(currentValue: boolean): { readonly name: string; readonly currentValue: boolean } {
  return { name: "Search the web", currentValue };
}

/** Checks each builder against its examples; a builder without an example fails. */
function proveAll<T>(
  definition: string,
  schema: Schema<T>,
  builders: object,
  examples: Readonly<Record<string, readonly T[]>>,
): void {
  for (const builder of Object.keys(builders)) {
    it(`the builder ${builder} makes a value of the official schema that is read back as the same object`, () => {
      const built = examples[builder] ?? [];
      assert.ok(built.length > 0, `${builder} has an example`);
      for (const example of built) prove(definition, schema, example);
    });
  }
}

function prove<T>(definition: string, schema: Schema<T>, built: T): void {
  assert.deepEqual(officialFaults(definition, built), []);
  assert.equal(schema.read(built), built);
  const received: unknown = JSON.parse(JSON.stringify(built));
  assert.equal(schema.read(received), received);
}
