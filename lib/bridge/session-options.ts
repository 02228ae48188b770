/**
 * Schema of the options of `session.create`.
 *
 * Keys are snake_case as on the wire. null means the same as a missing key, because
 * many languages serialise absent fields as null; 0, false and empty lists are values.
 */
import { isSessionId } from "../claude/index.ts";
import {
  array,
  boolean,
  either,
  integer,
  literal,
  nonEmptyString,
  nullable,
  number,
  object,
  open,
  type Optional,
  optional,
  record,
  refine,
  type Schema,
  type Static,
  string,
  tagged,
  unknown,
} from "../schema/index.ts";

/** A key that may be left out or null. */
export function maybe<T>(schema: Schema<T>): Optional<T | null> {
  return optional(nullable(schema));
}

/** The longest delay that a Node timer supports. */
const maxTimerMs = 2 ** 31 - 1;

const stdioServer = object({
  type: maybe(literal("stdio")),
  command: nonEmptyString,
  args: maybe(array(string)),
  env: maybe(record(string)),
});
export interface StdioServer extends Static<typeof stdioServer> {}
export const StdioServer: Schema<StdioServer> = stdioServer;

const sseServer = object({ type: literal("sse"), url: nonEmptyString, headers: maybe(record(string)) });
export interface SseServer extends Static<typeof sseServer> {}
export const SseServer: Schema<SseServer> = sseServer;

const httpServer = object({ type: literal("http"), url: nonEmptyString, headers: maybe(record(string)) });
export interface HttpServer extends Static<typeof httpServer> {}
export const HttpServer: Schema<HttpServer> = httpServer;

/** An MCP server; without `type` it is a stdio server. */
export type ServerConfig = StdioServer | SseServer | HttpServer;
export const ServerConfig: Schema<ServerConfig> = tagged("type", { sse: sseServer, http: httpServer }, stdioServer);

const agentDefinition = object({
  /** When to use this agent. */
  description: string,
  prompt: string,
  tools: maybe(array(string)),
  model: maybe(string),
});
export interface SubagentDefinition extends Static<typeof agentDefinition> {}
export const SubagentDefinition: Schema<SubagentDefinition> = agentDefinition;

const hookConfig = object({
  /** A pattern of tool names, such as `Write|Edit`; without it the hook matches all tools. */
  matcher: maybe(string),
  /** In seconds; the default is the session's callback timeout. */
  timeout: maybe(number),
});
export interface HookConfig extends Static<typeof hookConfig> {}
export const HookConfig: Schema<HookConfig> = hookConfig;

/** Keys may also be in camelCase; unknown keys are passed on to the CLI. */
const sandboxSettings = object({
  enabled: maybe(boolean),
  auto_allow_bash_if_sandboxed: maybe(boolean),
  excluded_commands: maybe(array(string)),
  allow_unsandboxed_commands: maybe(boolean),
  /** Extension: creating the session fails when the sandbox is unavailable. */
  fail_if_unavailable: maybe(boolean),
  network: maybe(
    object({
      allow_local_binding: maybe(boolean),
      allow_unix_sockets: maybe(array(string)),
      allow_all_unix_sockets: maybe(boolean),
    }),
  ),
  ignore_violations: maybe(record(array(string))),
});
export interface SandboxSettings extends Static<typeof sandboxSettings> {}
export const SandboxSettings: Schema<SandboxSettings> = sandboxSettings;

/** Claude Code's own system prompt, optionally with text appended. */
const presetPrompt = object({ type: literal("preset"), preset: literal("claude_code"), append: maybe(string) });
export interface PresetPrompt extends Static<typeof presetPrompt> {}
export const PresetPrompt: Schema<PresetPrompt> = presetPrompt;

const presetTools = object({ type: literal("preset"), preset: literal("claude_code") });
export interface PresetTools extends Static<typeof presetTools> {}
export const PresetTools: Schema<PresetTools> = presetTools;

const outputFormat = object({ type: literal("json_schema"), schema: record(unknown) });
export interface OutputFormat extends Static<typeof outputFormat> {}
export const OutputFormat: Schema<OutputFormat> = outputFormat;

const localPlugin = object({ type: literal("local"), path: nonEmptyString });
export interface LocalPlugin extends Static<typeof localPlugin> {}
export const LocalPlugin: Schema<LocalPlugin> = localPlugin;

const sessionId = refine(string, "a session id", isSessionId);

/** The options of the original protocol, in its order. */
const protocolOptions = {
  model: maybe(nonEmptyString),
  permission_mode: maybe(open("default", "acceptEdits", "bypassPermissions", "plan")),
  allowed_tools: maybe(array(string)),
  disallowed_tools: maybe(array(string)),
  system_prompt: maybe(either("text or a preset", string, PresetPrompt)),
  max_turns: maybe(integer(0)),
  max_budget_usd: maybe(number),
  max_thinking_tokens: maybe(integer(0)),
  include_partial_messages: maybe(boolean),
  enable_file_checkpointing: maybe(boolean),
  additional_directories: maybe(array(string)),
  mcp_servers: maybe(record(ServerConfig)),
  agents: maybe(record(SubagentDefinition)),
  hooks: maybe(record(array(HookConfig))),
  sandbox: maybe(SandboxSettings),
  setting_sources: maybe(array(string)),
  betas: maybe(array(string)),
  output_format: maybe(OutputFormat),
  fallback_model: maybe(nonEmptyString),
} as const;

/** Options that Bowline adds to the protocol. */
const moreOptions = {
  resume: maybe(sessionId),
  /** Drops everything after this assistant message. Needs `resume`. */
  resume_session_at: maybe(nonEmptyString),
  /** Continues the conversation under a new id. Needs `resume`. */
  fork_session: maybe(boolean),
  tools: maybe(either("tool names or a preset", array(string), PresetTools)),
  plugins: maybe(array(LocalPlugin)),
  strict_mcp_config: maybe(boolean),
  allow_dangerously_skip_permissions: maybe(boolean),
  /** Forwards the questions of MCP servers to the client; otherwise they are cancelled. */
  elicitation_callbacks: maybe(boolean),
  /** How long a callback of this session may stay pending; 0 means without limit. */
  callback_timeout_ms: maybe(integer(0, maxTimerMs)),
} as const;

const sessionOptions = object({ ...protocolOptions, ...moreOptions });
export interface SessionOptions extends Static<typeof sessionOptions> {}
export const SessionOptions: Schema<SessionOptions> = sessionOptions;

const known: ReadonlySet<string> = new Set([...Object.keys(protocolOptions), ...Object.keys(moreOptions)]);

/** The names of unknown options, shortened and quoted for a log. */
export function unknownOptions(options: SessionOptions): readonly string[] {
  return Object.keys(options)
    .filter((name) => !known.has(name))
    .map((name) => JSON.stringify(name.slice(0, 80)));
}
