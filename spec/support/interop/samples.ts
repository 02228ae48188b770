/**
 * Samples of every protocol value, as both directions send it.
 */
import {
  type AuthMethod,
  block,
  type ContentBlock,
  configOption,
  type CreateElicitationRequest,
  type Implementation,
  location,
  type NewSessionRequest,
  permissionOption,
  planEntry,
  type SessionConfigOption,
  type SessionModeState,
  type SessionUpdate,
  type StopReason,
  toolContent,
  update,
} from "../../../lib/index.ts";

export const agentInfo: Implementation = { name: "scripted-agent", title: "The scripted agent", version: "1.2.3" };
export const clientInfo: Implementation = { name: "scripted-client", title: "The scripted client", version: "3.2.1" };
export const authMethods: readonly AuthMethod[] = [{ id: "token", name: "Token", description: "Asks nobody." }];

/** All capabilities that a client can advertise. */
export const clientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
  session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
  auth: { terminal: true },
} as const;

/** Every kind of MCP server, and more than one directory. */
export const setup: NewSessionRequest = {
  cwd: "/work",
  additionalDirectories: ["/more", "C:\\more"],
  mcpServers: [
    { name: "files", command: "/bin/files", args: ["--all"], env: [{ name: "DEPTH", value: "2" }] },
    { type: "http", name: "web", url: "https://example.com/mcp", headers: [{ name: "X-Key", value: "k" }] },
    { type: "sse", name: "old", url: "https://example.com/sse", headers: [] },
  ],
};

/** The key under which the scripted agent reports how a session was set up. */
export const setupKey = "example.com/setup";

export const modes: SessionModeState = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask", description: "Asks first." },
    { id: "code", name: "Code" },
  ],
};

/** The options of a session with these values. */
export function configOptions(model: string, isFast: boolean): readonly SessionConfigOption[] {
  const models = [
    { group: "large", name: "Large", options: [{ value: "oak", name: "Oak" }] },
    { group: "small", name: "Small", options: [{ value: "ivy", name: "Ivy", description: "Climbs." }] },
  ];
  return [
    configOption.grouped("model", models, { name: "Model", category: "model", currentValue: model }),
    configOption.select("depth", [{ value: "low", name: "Low" }], { name: "Depth", currentValue: "low" }),
    configOption.boolean("fast", { name: "Fast", description: "Skips the plan.", currentValue: isFast }),
  ];
}

/** Every kind of content block. */
export const blocks: readonly ContentBlock[] = [
  { ...block.text('naïve ☕ \u2028 \u0000 "quoted"\n🪢'), annotations: { audience: ["user"], priority: 0.5 } },
  block.image("aGk=", "image/png", "file:///tmp/hi.png"),
  block.audio("aG8=", "audio/wav"),
  block.link("file:///tmp/a.txt", "a.txt", { title: "A", mimeType: "text/plain", size: 3 }),
  block.resource({ uri: "file:///tmp/b.txt", text: "b", mimeType: "text/plain" }),
  block.resource({ uri: "file:///tmp/c.bin", blob: "Yw==" }),
];

const tool = {
  toolCallId: "call-1",
  title: "Edit a.txt",
  name: "edit",
  kind: "edit",
  content: [
    toolContent.block("about to edit"),
    toolContent.diff("/tmp/a.txt", "old", "new"),
    toolContent.diff("/tmp/b.txt", null, "new file"),
    toolContent.terminal("terminal-1"),
  ],
  locations: [location("/tmp/a.txt", 7), location("/tmp/b.txt")],
  rawInput: { path: "/tmp/a.txt", nested: [1, { deep: null }] },
} as const;

/** Every kind of update, the ones a client must ask for last. */
export const updates: readonly SessionUpdate[] = [
  update.userMessage("hello", "message-1"),
  ...blocks.map((content) => update.agentMessage(content, "message-2")),
  { ...update.agentThought("hm"), _meta: { "example.com/mood": "curious" } },
  update.toolCall({ ...tool, status: "pending" }),
  update.toolCallUpdate({ toolCallId: "call-1", status: "completed", rawOutput: "done", title: null }),
  update.plan([planEntry("look", "completed", "high"), planEntry("leap")]),
  update.availableCommands([
    { name: "help", description: "Helps." },
    { name: "fix", description: "Fixes.", input: { hint: "what" } },
  ]),
  update.currentMode("code"),
  update.sessionInfo({ title: "A talk", updatedAt: "2026-01-02T03:04:05Z" }),
  update.sessionInfo({ title: null }),
  update.usage(12_345, 200_000, { amount: 0.25, currency: "USD" }),
  update.configOptions(configOptions("oak", false)),
  update.notice("warning", "Nearly full", "The context is nearly full."),
  update.compaction({ compactionId: "compaction-1", status: "in_progress" }),
  update.compactionSummary("compaction-1", "so far"),
  update.compaction({ compactionId: "compaction-1", status: "completed", summary: [block.text("so far")] }),
];

export const permission = {
  toolCall: tool,
  options: [
    permissionOption("allow_once", "yes", "Allow"),
    permissionOption("allow_always", "always", "Always allow"),
    permissionOption("reject_once", "no", "Reject"),
    permissionOption("reject_always", "never", "Never allow"),
  ],
} as const;

const form = {
  mode: "form",
  message: "Who are you?",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", title: "Name", minLength: 1, maxLength: 40 },
      color: { type: "string", oneOf: [{ const: "r", title: "Red" }] },
      age: { type: "integer", minimum: 0 },
      height: { type: "number", maximum: 3.5 },
      member: { type: "boolean", default: false },
      knots: { type: "array", items: { type: "string", enum: ["bowline", "reef"] }, minItems: 1 },
    },
    required: ["name"],
  },
} as const;

/** A form that belongs to a session. */
export function sessionForm(sessionId: string): CreateElicitationRequest {
  return { sessionId, ...form };
}

/** A form that belongs to a request. */
export const requestForm: CreateElicitationRequest = { requestId: "request-1", ...form };

/** What the user fills into the form. */
export const filledIn = { name: "Ada", color: "r", age: 36, height: 1.65, member: true, knots: ["bowline"] } as const;

export function linkOf(sessionId: string): CreateElicitationRequest {
  const url = "https://example.com/sign-in?state=1";
  return { sessionId, toolCallId: "call-1", mode: "url", elicitationId: "link-1", message: "Sign in", url };
}

export const stopReasons: readonly StopReason[] = [
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
];
