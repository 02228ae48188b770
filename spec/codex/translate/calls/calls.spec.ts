/**
 * How commands, tools, searches and images look.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionUpdate, ToolCallChanged, ToolCallStarted } from "../../../../lib/acp/index.ts";
import { CodexHarness, command, completed, started } from "../../../support/codex/harness.ts";
import { cwd } from "../../../support/codex/recording.ts";

describe("a command", () => {
  const kindOf = (...types: readonly string[]): string | undefined =>
    opening(command("x", { commandActions: types.map((type) => ({ type, command: "x", path: `${cwd}/a.ts` })) })).kind;

  it("the kind follows what Codex reads in the command", () => {
    assert.equal(kindOf("read"), "read");
    assert.equal(kindOf("listFiles"), "search");
    assert.equal(kindOf("search", "listFiles"), "search");
    assert.equal(kindOf("read", "read"), "execute");
    assert.equal(kindOf("read", "unknown"), "execute");
    assert.equal(kindOf(), "execute");
  });

  it("a command that reads one file has its location", () => {
    const read = { type: "read", command: "cat a.ts", name: "a.ts", path: "src/a.ts" };
    assert.deepEqual(opening(command("cat a.ts", { commandActions: [read] })).locations, [{ path: `${cwd}/src/a.ts` }]);
  });

  it("the title is the command, never Codex's reading of it", () => {
    const actions = [{ type: "read", command: "cat a", path: "/a" }];
    assert.equal(opening(command("cat a && rm -rf /", { commandActions: actions })).title, "cat a && rm -rf /");
  });

  it("a command that could not start says that it did not run, with what Codex said", () => {
    const end = { status: "failed", exitCode: -1, processId: null, aggregatedOutput: "No such directory" };
    assert.deepEqual(textsOf(ending(command("x"), command("x", end))), [
      "```console\nNo such directory\n```",
      "It did not run.",
    ]);
  });

  it("a fence in the output does not end the block", () => {
    const end = { status: "completed", exitCode: 0, aggregatedOutput: "```\nx\n```\n" };
    assert.deepEqual(textsOf(ending(command("x"), command("x", end))), ["````console\n```\nx\n```\n````"]);
  });
});

describe("a tool", () => {
  const mcp = { type: "mcpToolCall", server: "fake", tool: "look_up", arguments: { text: "hi" }, status: "inProgress" };

  it("an MCP tool is named with its server and its first text", () => {
    const { title, name, rawInput } = opening(mcp);
    assert.deepEqual([title, name, rawInput], ["fake: look up (hi)", "mcp__fake__look_up", { text: "hi" }]);
  });

  it("the blocks of an MCP result are content, and what is no block is shown as JSON", () => {
    const content = [
      { type: "text", text: "one" },
      { type: "image", data: "QUJD", mimeType: "image/png" },
      { type: "newThing", value: 1 },
    ];
    const end = ending(mcp, { ...mcp, status: "completed", result: { content } });
    assert.deepEqual(
      end.content?.map((one) => one.type === "content" && one.content.type),
      ["text", "image", "text"],
    );
    assert.match(textsOf(end)[1] ?? "", /"value": 1/);
  });

  it("an MCP tool that the user rejected says so", () => {
    const error = { message: "user rejected MCP tool call" };
    const end = ending(mcp, { ...mcp, status: "failed", error });
    assert.deepEqual([end.status, textsOf(end)], ["failed", ["Rejected."]]);
  });

  it("text and images of a tool of the host are content", () => {
    const tool = { type: "dynamicToolCall", tool: "look_up", namespace: null, arguments: {}, status: "inProgress" };
    const contentItems = [
      { type: "inputText", text: "one" },
      { type: "inputImage", imageUrl: "data:image/png;base64,QUJD" },
      { type: "inputImage", imageUrl: "https://example.com/a.png" },
    ];
    const end = ending(tool, { ...tool, status: "completed", contentItems });
    assert.equal(opening(tool).title, "look up");
    assert.deepEqual(
      end.content?.map((one) => one.type === "content" && one.content.type),
      ["text", "image"],
    );
  });

  it("a generated image is content of its tool call", () => {
    const image = { type: "imageGeneration", status: "completed", revisedPrompt: "A knot", result: "QUJD" };
    const end = ending({ ...image, result: "" }, image);
    assert.deepEqual(end.content?.[1], {
      type: "content",
      content: { type: "image", data: "QUJD", mimeType: "image/png" },
    });
  });
});

describe("a web search", () => {
  it("the title says what was searched, opened or found", () => {
    const search = (action: object): string | null | undefined => {
      const item = { type: "webSearch", query: "", action: { type: "other" } };
      return ending(item, { ...item, query: "q", action }).title;
    };
    assert.equal(search({ type: "search", query: "q", queries: null }), 'Search the web for "q"');
    assert.equal(search({ type: "search", query: "q", queries: ["a", "b"] }), 'Search the web for "a", "b"');
    assert.equal(search({ type: "openPage", url: "https://x.org" }), "Open https://x.org");
    assert.equal(search({ type: "findInPage", url: "https://x.org", pattern: "p" }), 'Find "p" in https://x.org');
  });
});

describe("an image and a pause", () => {
  it("an image that the model looks at has its path as title and location", () => {
    const { title, locations, kind } = opening({ type: "imageView", path: `${cwd}/a/pixel.png` });
    assert.deepEqual([title, locations, kind], ["View a/pixel.png", [{ path: `${cwd}/a/pixel.png` }], "read"]);
  });

  it("a pause says how long it is", () => {
    assert.equal(opening({ type: "sleep", durationMs: 300 }).title, "Wait 300 ms");
    assert.equal(opening({ type: "sleep", durationMs: 90_500 }).title, "Wait 90.5 s");
  });
});

function opening(item: object): ToolCallStarted {
  const [call] = new CodexHarness().take(started(item));
  assert.ok(call?.sessionUpdate === "tool_call");
  return call;
}

function ending(item: object, end: object): ToolCallChanged {
  const last: SessionUpdate | undefined = new CodexHarness().take(started(item), completed(end)).at(-1);
  assert.ok(last?.sessionUpdate === "tool_call_update");
  return last;
}

function textsOf({ content }: ToolCallChanged): readonly string[] {
  return (content ?? []).flatMap((one) =>
    one.type === "content" && one.content.type === "text" ? [one.content.text] : [],
  );
}
