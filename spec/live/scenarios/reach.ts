/**
 * Recordings of tools that use the outside: web search, skills, the host's own MCP
 * server.
 */
import { promptTexts, toolNames } from "../../support/live/api/api-request.ts";
import { allow } from "../../support/live/claude-host.ts";
import { at, isObject, textAt, type JsonObject } from "../../support/json.ts";
import { answer, call, say, whole, type AnswerStep } from "../../support/live/api/model-script.ts";
import { tinyPng } from "../../support/live/workspace.ts";
import type { Recording } from "./recording.ts";

export const reachRecordings: readonly Recording[] = [
  {
    name: "web-search",
    what: "WebSearch with two pages found by the server's tool, and one that failed",
    env: { ENABLE_TOOL_SEARCH: "false" },
    prepare: (_place, api) => {
      api.rule(
        (request) => toolNames(request).includes("web_search"),
        (request) => searched(promptTexts(request).join("\n").includes("too much")),
      );
    },
    scripts: () => ({
      "web-search": [
        answer(call("WebSearch", { query: "agent client protocol" })),
        answer(call("WebSearch", { query: "too much", allowed_domains: ["example.com"] })),
        answer(say("Searched the web.")),
      ],
    }),
  },
  {
    name: "skill",
    what: "Skill: one of the project, with arguments, and one that is not there",
    prepare: (place) => {
      const head = "---\nname: greeting\ndescription: Greets somebody\n---\n";
      place.write(".claude/skills/greeting/SKILL.md", `${head}\nSay hello to $ARGUMENTS.\n`);
    },
    scripts: () => ({
      skill: [
        answer(call("Skill", { skill: "greeting", args: "Ada" })),
        answer(call("Skill", { skill: "no-such-skill" })),
        answer(say("Hello, Ada.")),
      ],
    }),
  },
  {
    name: "host-mcp-image",
    what: "a tool of the host's own MCP server (sdkMcpServers) that answers with text and an image, and one that fails",
    env: { ENABLE_TOOL_SEARCH: "false" },
    initialize: { sdkMcpServers: ["desk"] },
    scripts: () => ({
      "host-mcp-image": [
        answer(call("mcp__desk__picture", { of: "a dot" })),
        answer(call("mcp__desk__broken", {})),
        answer(say("A picture.")),
      ],
    }),
    usual: (request) => (request["subtype"] === "mcp_message" ? { mcp_response: serve(request) } : allow(request)),
  },
];

/** The answers of the model that searches for the CLI: its server tool's pages, or the tool's error. */
function searched(isRefused: boolean): AnswerStep {
  const id = "srvtoolu_live1";
  const page = (title: string, url: string): JsonObject => {
    return { type: "web_search_result", title, url, encrypted_content: "ZW5j", page_age: "2 days ago" };
  };
  const pages = [page("Agent Client Protocol", "https://example.com/acp"), page("Second", "https://example.com/2")];
  const content = isRefused ? { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" } : pages;
  return answer(
    say("I will search."),
    whole({ type: "server_tool_use", id, name: "web_search", input: { query: "acp" } }),
    whole({ type: "web_search_tool_result", tool_use_id: id, content }),
    say(isRefused ? "Nothing more today." : "It is a protocol."),
  );
}

/** The host's MCP server, as short as the CLI allows. */
function serve(request: JsonObject): JsonObject {
  const message = at(request, "message");
  const id = isObject(message) ? (message["id"] ?? 0) : 0;
  return { jsonrpc: "2.0", id, result: resultOf(textAt(message, "method"), textAt(message, "params.name")) };
}

function resultOf(method: string, tool: string): JsonObject {
  if (method === "initialize") {
    const serverInfo = { name: "desk", version: "1.0.0" };
    return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
  }
  const inputSchema = { type: "object", properties: { of: { type: "string" } } };
  if (method === "tools/list") {
    const picture = { name: "picture", title: "Draw a picture", description: "Draws", inputSchema };
    return { tools: [picture, { name: "broken", description: "Fails", inputSchema }] };
  }
  if (method !== "tools/call") return {};
  if (tool === "broken") return { isError: true, content: [{ type: "text", text: "out of paint" }] };
  const image = { type: "image", data: tinyPng.toString("base64"), mimeType: "image/png" };
  return { content: [{ type: "text", text: "Here it is." }, image] };
}
