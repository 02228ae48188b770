/**
 * Specs of strict reading: what is refused because accepting it would be dangerous, and
 * which unknown values are kept.
 */
import {
  AuthMethod,
  block,
  CreateElicitationRequest,
  CreateElicitationResponse,
  CreateTerminalRequest,
  ListSessionsRequest,
  LoadSessionResponse,
  McpServer,
  MultiSelectItems,
  NewSessionRequest,
  PermissionOption,
  PromptRequest,
  ReadTextFileRequest,
  SessionConfigOption,
  SessionNotification,
  SessionUpdate,
  SetSessionConfigOptionRequest,
  update,
} from "../../../lib/acp/index.ts";
import { describeReadings, type ReadingRows, same } from "../../support/readings.ts";

const text = block.text("a");
const call = { sessionUpdate: "tool_call", toolCallId: "1", title: "a" };
const option = { type: "select", id: "a", name: "A", currentValue: "b", options: [{ value: "b", name: "B" }] };
const stdio = { name: "a", command: "b", args: [], env: [] };
const opening = { cwd: "/a", mcpServers: [] };
const terminal = { sessionId: "a", command: "ls" };
const file = { sessionId: "a", path: "/a" };
const form = { sessionId: "a", message: "?", mode: "form", requestedSchema: { properties: {} } };

const rows: ReadingRows = {
  "refuses what must be there or must be right": [
    [
      "one wrong server",
      NewSessionRequest,
      { cwd: "/a", mcpServers: [stdio, { name: "a" }] },
      "mcpServers.1.command must be given",
    ],
    ["a server with a wrong variable", McpServer, { ...stdio, env: [{ name: "a" }] }, "env.0.value must be given"],
    ["a known type of server without its fields", McpServer, { ...stdio, type: "http" }, "url must be given"],
    [
      "one wrong directory",
      NewSessionRequest,
      { ...opening, additionalDirectories: ["/a", 5] },
      "additionalDirectories.1 must be string",
    ],
    ["a terminal's args", CreateTerminalRequest, { ...terminal, args: ["a", 5] }, "args.1 must be string"],
    ["a terminal's env", CreateTerminalRequest, { ...terminal, env: { A: "b" } }, "env must be an array"],
    ["a terminal's cwd", CreateTerminalRequest, { ...terminal, cwd: 5 }, "cwd must be string"],
    [
      "a terminal's limit",
      CreateTerminalRequest,
      { ...terminal, outputByteLimit: 1.5 },
      "outputByteLimit must be an integer, 0 or more",
    ],
    ["the first line", ReadTextFileRequest, { ...file, line: "1" }, "line must be an integer from 1 to 4294967295"],
    [
      "the number of lines",
      ReadTextFileRequest,
      { ...file, limit: -1 },
      "limit must be an integer from 0 to 4294967295",
    ],
    ["a cursor", ListSessionsRequest, { cursor: 5 }, "cursor must be string"],
    [
      "one block of a prompt",
      PromptRequest,
      { sessionId: "a", prompt: [text, { type: "video" }] },
      "prompt.1.type must be one of text, image, audio, resource_link, resource",
    ],
    [
      "a permission's kind",
      PermissionOption,
      { optionId: "a", name: "A", kind: "always" },
      "kind must be one of allow_once, allow_always, reject_once, reject_always",
    ],
    [
      "an update nobody knows",
      SessionUpdate,
      { sessionUpdate: "current_model_update" },
      "sessionUpdate must be one of",
    ],
    [
      "an update without its tag",
      SessionNotification,
      { sessionId: "a", update: {} },
      "update.sessionUpdate must be given",
    ],
    [
      "a notice without a title",
      SessionUpdate,
      { sessionUpdate: "notice", severity: "info", title: "" },
      "title must be a string that is not empty",
    ],
    [
      "a boolean option's text",
      SetSessionConfigOptionRequest,
      { sessionId: "a", configId: "b", type: "boolean", value: "true" },
      "value must be boolean",
    ],
    [
      "a boolean without its type",
      SetSessionConfigOptionRequest,
      { sessionId: "a", configId: "b", value: true },
      "value must be string",
    ],
    [
      "a form's constraint",
      CreateElicitationRequest,
      asking({ type: "string", maxLength: "5" }),
      "requestedSchema.properties.a.maxLength must be",
    ],
    [
      "a form's choices",
      CreateElicitationRequest,
      asking({ type: "array", items: { type: "string" } }),
      "requestedSchema.properties.a.items must be an object with enum or anyOf",
    ],
    [
      "an elicitation of nobody's",
      CreateElicitationRequest,
      { message: "?", mode: "form", requestedSchema: {} },
      "value must be an object with sessionId or requestId",
    ],
    [
      "accepted content",
      CreateElicitationResponse,
      { action: "accept", content: { a: {} } },
      "content.a must be a string, a number",
    ],
  ],
  "keeps what it does not know": [
    same("a severity", SessionUpdate, { sessionUpdate: "notice", severity: "_grave", title: "a" }),
    same("a compaction's status", SessionUpdate, {
      sessionUpdate: "compaction_update",
      compactionId: "1",
      status: "_paused",
    }),
    same("an option's category", SessionConfigOption, { ...option, category: "_mine" }),
    same("a property of a form", CreateElicitationRequest, asking({ type: "color", space: "rgb" })),
    same("an elicitation's mode", CreateElicitationRequest, { ...form, mode: "voice", language: "nl" }),
    same("an action", CreateElicitationResponse, { action: "postpone", until: "tomorrow" }),
    same("a setting's type", SetSessionConfigOptionRequest, {
      sessionId: "a",
      configId: "b",
      type: "color",
      value: "red",
    }),
    same("a way to sign in", AuthMethod, { type: "env_var", id: "a", name: "A", vars: [] }),
    same("titled choices of a known type", MultiSelectItems, { type: "string", anyOf: [{ const: "a", title: "A" }] }),
    same("unknown keys and _meta, at every depth", SessionNotification, {
      sessionId: "a",
      later: 1,
      update: {
        ...call,
        later: 2,
        _meta: { a: { b: null } },
        content: [{ type: "diff", path: "/a", newText: "", later: 3 }],
      },
      _meta: { traceparent: "00-1-1-00" },
    }),
    same("numbers past 2^53", SessionUpdate, { ...update.usage(2 ** 60, 2 ** 63) }),
    same("null where it means something", SessionUpdate, {
      sessionUpdate: "session_info_update",
      title: null,
      updatedAt: null,
    }),
    same("an answer without anything in it", LoadSessionResponse, {}),
  ],
};

describeReadings(rows);

function asking(property: object): object {
  return { ...form, requestedSchema: { type: "object", properties: { a: property } } };
}
