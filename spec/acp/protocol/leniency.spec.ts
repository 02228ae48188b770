/**
 * Specs of lenient reading: what is dropped, what replaces null, and which old names are
 * understood.
 */
import {
  Annotations,
  AuthMethod,
  block,
  ClientCapabilities,
  ContentBlock,
  CreateTerminalRequest,
  InitializeRequest,
  InitializeResponse,
  ListSessionsResponse,
  LoadSessionRequest,
  McpServer,
  NewSessionRequest,
  NewSessionResponse,
  ResumeSessionRequest,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
  SetSessionModeRequest,
} from "../../../lib/acp/index.ts";
import { describeReadings, type ReadingRows } from "../../support/readings.ts";

const text = block.text("a");
const call = { sessionUpdate: "tool_call", toolCallId: "1", title: "a" };
const change = { sessionUpdate: "tool_call_update", toolCallId: "1" };
const entry = { content: "a", priority: "low", status: "pending" };
const option = { type: "select", id: "a", name: "A", currentValue: "b", options: [{ value: "b", name: "B" }] };
const stdio = { name: "a", command: "b", args: [], env: [] };
const opening = { cwd: "/a", mcpServers: [] };
const terminal = { sessionId: "a", command: "ls" };

const rows: ReadingRows = {
  "drops a field that is wrong": [
    ["a tool's kind", SessionUpdate, { ...call, kind: "command" }, call],
    ["a status of version 2", SessionUpdate, { ...change, status: "cancelled" }, change],
    ["a title that is no text", SessionUpdate, { ...change, title: 5 }, change],
    ["content that is no list", SessionUpdate, { ...call, content: "a" }, call],
    [
      "line 0",
      SessionUpdate,
      { ...call, locations: [{ path: "/a", line: 0 }] },
      { ...call, locations: [{ path: "/a" }] },
    ],
    ["annotations", ContentBlock, { ...text, annotations: [] }, text],
    ["capabilities", InitializeRequest, { protocolVersion: 1, clientCapabilities: [] }, { protocolVersion: 1 }],
    ["a capability", ClientCapabilities, { terminal: "yes", fs: { readTextFile: 1 } }, { fs: {} }],
    [
      "an info without version",
      InitializeRequest,
      { protocolVersion: 1, clientInfo: { name: "a" } },
      { protocolVersion: 1 },
    ],
    ["_meta that is no object", SessionUpdate, { ...call, _meta: "a" }, call],
    ["modes", NewSessionResponse, { sessionId: "a", modes: { currentModeId: 1 } }, { sessionId: "a" }],
  ],
  "drops the wrong items of a list": [
    [
      "tool call content",
      SessionUpdate,
      { ...call, content: [text, { type: "content", content: text }] },
      { ...call, content: [{ type: "content", content: text }] },
    ],
    [
      "locations",
      SessionUpdate,
      { ...change, locations: [{ line: 1 }, { path: "/a" }] },
      { ...change, locations: [{ path: "/a" }] },
    ],
    [
      "plan entries",
      SessionUpdate,
      { sessionUpdate: "plan", entries: [{ id: "1", content: "a", status: "pending" }, entry] },
      { sessionUpdate: "plan", entries: [entry] },
    ],
    [
      "commands",
      SessionUpdate,
      { sessionUpdate: "available_commands_update", availableCommands: [{ name: "a" }] },
      { sessionUpdate: "available_commands_update", availableCommands: [] },
    ],
    [
      "options of an unknown type",
      SessionUpdate,
      { sessionUpdate: "config_option_update", configOptions: [option, { ...option, type: "slider" }] },
      { sessionUpdate: "config_option_update", configOptions: [option] },
    ],
    [
      "modes",
      SessionModeState,
      { currentModeId: "a", availableModes: [null, { id: "a", name: "A" }] },
      { currentModeId: "a", availableModes: [{ id: "a", name: "A" }] },
    ],
    ["sessions", ListSessionsResponse, { sessions: [{ sessionId: "a" }] }, { sessions: [] }],
    [
      "ways to sign in",
      InitializeResponse,
      { protocolVersion: 1, authMethods: [{ id: "a" }, { id: "b", name: "B" }] },
      { protocolVersion: 1, authMethods: [{ id: "b", name: "B" }] },
    ],
    ["an audience", Annotations, { audience: ["user", "system"] }, { audience: ["user"] }],
    [
      "a summary",
      SessionUpdate,
      { sessionUpdate: "compaction_update", compactionId: "1", status: "x", summary: [5, text] },
      { sessionUpdate: "compaction_update", compactionId: "1", status: "x", summary: [text] },
    ],
  ],
  "puts an empty list in the place of a required one that is wrong": [
    ["plan entries", SessionUpdate, { sessionUpdate: "plan", entries: null }, { sessionUpdate: "plan", entries: [] }],
    ["sessions", ListSessionsResponse, { sessions: {} }, { sessions: [] }],
    [
      "group options",
      SessionConfigOption,
      { ...option, options: [{ group: "g", name: "G", options: 5 }] },
      { ...option, options: [{ group: "g", name: "G", options: [] }] },
    ],
  ],
  "reads null as nothing given": [
    ["mcpServers", NewSessionRequest, { cwd: "/a", mcpServers: null }, opening],
    ["mcpServers left out", NewSessionRequest, { cwd: "/a" }, opening],
    [
      "mcpServers left out of load",
      LoadSessionRequest,
      { sessionId: "a", cwd: "/a" },
      { sessionId: "a", cwd: "/a", mcpServers: [] },
    ],
    [
      "additionalDirectories",
      NewSessionRequest,
      { ...opening, additionalDirectories: null },
      { ...opening, additionalDirectories: [] },
    ],
    [
      "mcpServers of resume",
      ResumeSessionRequest,
      { sessionId: "a", cwd: "/a", mcpServers: null },
      { sessionId: "a", cwd: "/a", mcpServers: [] },
    ],
    [
      "a terminal's args and env",
      CreateTerminalRequest,
      { ...terminal, args: null, env: null },
      { ...terminal, args: [], env: [] },
    ],
    ["a server's args", McpServer, { ...stdio, args: null }, stdio],
    [
      "a sign-in's args and env",
      AuthMethod,
      { type: "terminal", id: "a", name: "A", args: null, env: null },
      { type: "terminal", id: "a", name: "A", args: [], env: {} },
    ],
  ],
  "reads older names as today's": [
    [
      "an image's mediaType",
      ContentBlock,
      { type: "image", data: "a", mediaType: "image/png" },
      { type: "image", data: "a", mimeType: "image/png" },
    ],
    [
      "an image's mimeType first",
      ContentBlock,
      { type: "image", data: "a", mediaType: "b", mimeType: "image/png" },
      { type: "image", data: "a", mediaType: "b", mimeType: "image/png" },
    ],
    [
      "an image's mediaType that is no text",
      ContentBlock,
      { type: "image", data: "a", mediaType: 5 },
      "mimeType must be string",
    ],
    ["set_mode's mode", SetSessionModeRequest, { sessionId: "a", mode: "plan" }, { sessionId: "a", modeId: "plan" }],
    ["no mediaType for audio", ContentBlock, { type: "audio", data: "a", mediaType: "b" }, "mimeType must be given"],
  ],
};

describeReadings(rows);
