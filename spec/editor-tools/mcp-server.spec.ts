/**
 * The MCP server of the editor tools: every message is answered once.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { writingToolDefinitions } from "../../lib/editor-tools/tool-definitions.ts";
import { done, type ToolResult } from "../../lib/editor-tools/tool-result.ts";
import { EditorMcpServer, type ToolCallRequest } from "../../lib/editor-tools/mcp-server.ts";
import { hostileValues } from "../support/hostile-values.ts";
import { open } from "../support/editor-tools/file-harness.ts";

const tools = writingToolDefinitions;

function server(call: (request: ToolCallRequest) => Promise<ToolResult> = async () => done("ok")): {
  readonly mcp: EditorMcpServer;
  readonly bugs: unknown[];
} {
  const bugs: unknown[] = [];
  const callbacks = {
    name: "bowline",
    version: "1",
    tools: () => tools,
    call,
    onBug: (...bug: unknown[]) => bugs.push(bug),
  };
  return { mcp: new EditorMcpServer(callbacks), bugs };
}

function calls(id: number, name: string, input: object = {}): object {
  const params = { name, arguments: input, _meta: { "claudecode/toolUseId": "toolu_1" } };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

describe("EditorMcpServer", () => {
  it("initialize, tools/list and notifications are answered", async () => {
    const { mcp } = server();
    const initialized = await mcp.answer(
      { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-06-18" } },
      open(),
    );
    assert.deepEqual(initialized, {
      jsonrpc: "2.0",
      id: 0,
      result: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "bowline", version: "1" },
      },
    });
    const listed = await mcp.answer({ jsonrpc: "2.0", id: 1, method: "tools/list" }, open());
    assert.deepEqual(listed, { jsonrpc: "2.0", id: 1, result: { tools } });
    const acknowledged = await mcp.answer({ jsonrpc: "2.0", method: "notifications/initialized" }, open());
    assert.deepEqual(acknowledged, { jsonrpc: "2.0", id: 0, result: {} });
  });

  it("tools/call passes on the input and the id of the tool call", async () => {
    let asked: ToolCallRequest | undefined;
    const { mcp } = server(async (request) => {
      asked = request;
      return done("read", { a: 1 });
    });
    const answer = await mcp.answer(calls(2, "Write", { file_path: "/a" }), open());
    assert.deepEqual(answer, {
      jsonrpc: "2.0",
      id: 2,
      result: { content: [{ type: "text", text: "read" }], _meta: { "bowline/result": { a: 1 } } },
    });
    assert.deepEqual([asked?.name, asked?.input, asked?.toolCallId], ["Write", { file_path: "/a" }, "toolu_1"]);
  });

  it("unknown methods and tools are refused, and a tool that throws reveals no detail", async () => {
    const { mcp, bugs } = server(() => Promise.reject(new Error("a secret")));
    assert.match(JSON.stringify(await mcp.answer(calls(3, "NoSuchTool"), open())), /-32602/);
    assert.match(JSON.stringify(await mcp.answer({ id: 4, method: "resources/list" }, open())), /"id":4.*-32601/);
    assert.match(JSON.stringify(await mcp.answer({ id: 5, method: "tools/call" }, open())), /"id":5.*-32602/);
    const failed = JSON.stringify(await mcp.answer(calls(6, "Write"), open()));
    assert.match(failed, /"isError":true/);
    assert.doesNotMatch(failed, /secret/);
    assert.equal(bugs.length, 1);
    for (const value of hostileValues.values()) assert.ok(await mcp.answer(value, open()));
  });

  it("a call is aborted when the CLI cancels it or stops waiting for it", async () => {
    const { mcp, bugs } = server(
      ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
    );
    const first = mcp.answer(calls(7, "Edit"), open());
    await mcp.answer({ method: "notifications/cancelled", params: { requestId: 7 } }, open());
    assert.match(JSON.stringify(await first), /"id":7.*cancelled/);
    const controller = new AbortController();
    const second = mcp.answer(calls(8, "Edit"), controller.signal);
    controller.abort();
    assert.match(JSON.stringify(await second), /"id":8.*cancelled/);
    const third = mcp.answer(calls(9, "Edit"), open());
    mcp.stop();
    assert.match(JSON.stringify(await third), /cancelled/);
    assert.deepEqual(bugs, []);
  });
});
