/**
 * Schemas of `system` events about the session as a whole: start of a turn, state,
 * permission mode, title, slash commands and compaction.
 */
import {
  boolean,
  items,
  lenient,
  literal,
  nullable,
  number,
  object,
  open,
  type Schema,
  type Static,
  string,
  unknown,
} from "../../schema/index.ts";
import { PermissionMode } from "./permission.ts";
import { commonFields } from "./common-fields.ts";

const mcpServerState = object({ name: string, status: lenient(string), source: lenient(string) });
export interface ReportedMcpServer extends Static<typeof mcpServerState> {}
export const ReportedMcpServer: Schema<ReportedMcpServer> = mcpServerState;

/** Sent at the start of every turn, not at the start of the process. */
const init = object({
  type: literal("system"),
  subtype: literal("init"),
  cwd: lenient(string),
  model: lenient(string),
  permissionMode: lenient(PermissionMode),
  tools: lenient(items(string)),
  mcp_servers: lenient(items(ReportedMcpServer)),
  mcp_server_errors: lenient(items(unknown)),
  slash_commands: lenient(items(string)),
  /** Slash commands that only work in a terminal. */
  terminal_slash_commands: lenient(items(string)),
  apiKeySource: lenient(string),
  claude_code_version: lenient(string),
  output_style: lenient(string),
  agents: lenient(items(string)),
  skills: lenient(items(string)),
  plugins: lenient(items(unknown)),
  capabilities: lenient(items(string)),
  additional_directories: lenient(items(string)),
  fast_mode_state: lenient(string),
  effort: lenient(nullable(string)),
  user_message_uuids: lenient(items(string)),
  ...commonFields,
});
export interface SystemInit extends Static<typeof init> {}
export const SystemInit: Schema<SystemInit> = init;

const status = object({
  type: literal("system"),
  subtype: literal("status"),
  status: lenient(nullable(open("requesting", "compacting"))),
  /** Present when the permission mode changed. */
  permissionMode: lenient(PermissionMode),
  compact_result: lenient(open("success", "failed")),
  compact_error: lenient(string),
  user_message_uuids: lenient(items(string)),
  ...commonFields,
});
export interface SystemStatus extends Static<typeof status> {}
export const SystemStatus: Schema<SystemStatus> = status;

/** Sent only with CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1. */
const sessionStateChanged = object({
  type: literal("system"),
  subtype: literal("session_state_changed"),
  state: open("running", "requires_action", "idle"),
  ...commonFields,
});
export interface SystemSessionStateChanged extends Static<typeof sessionStateChanged> {}
export const SystemSessionStateChanged: Schema<SystemSessionStateChanged> = sessionStateChanged;

const sessionTitleChanged = object({
  type: literal("system"),
  subtype: literal("session_title_changed"),
  title: lenient(nullable(string)),
  ...commonFields,
});
export interface SystemSessionTitleChanged extends Static<typeof sessionTitleChanged> {}
export const SystemSessionTitleChanged: Schema<SystemSessionTitleChanged> = sessionTitleChanged;

/** A slash command the CLI offers. */
const slashCommand = object({
  name: string,
  description: lenient(string),
  argumentHint: lenient(string),
  aliases: lenient(items(string)),
  builtin: lenient(boolean),
});
export interface SlashCommand extends Static<typeof slashCommand> {}
export const SlashCommand: Schema<SlashCommand> = slashCommand;

const commandsChanged = object({
  type: literal("system"),
  subtype: literal("commands_changed"),
  /** The whole list. It replaces the previous one. */
  commands: items(SlashCommand),
  ...commonFields,
});
export interface SystemCommandsChanged extends Static<typeof commandsChanged> {}
export const SystemCommandsChanged: Schema<SystemCommandsChanged> = commandsChanged;

const compactMetadata = object({
  trigger: lenient(open("manual", "auto")),
  pre_tokens: lenient(number),
  post_tokens: lenient(number),
  duration_ms: lenient(number),
});
export interface CompactMetadata extends Static<typeof compactMetadata> {}
export const CompactMetadata: Schema<CompactMetadata> = compactMetadata;

const compactBoundary = object({
  type: literal("system"),
  subtype: literal("compact_boundary"),
  compact_metadata: lenient(CompactMetadata),
  ...commonFields,
});
export interface SystemCompactBoundary extends Static<typeof compactBoundary> {}
export const SystemCompactBoundary: Schema<SystemCompactBoundary> = compactBoundary;

/** The disk was full and part of the transcript is lost. */
const sessionWritesLost = object({
  type: literal("system"),
  subtype: literal("session_writes_lost"),
  error_code: lenient(string),
  lost: lenient(items(string)),
  ...commonFields,
});
export interface SystemSessionWritesLost extends Static<typeof sessionWritesLost> {}
export const SystemSessionWritesLost: Schema<SystemSessionWritesLost> = sessionWritesLost;

export const sessionVariants = {
  init,
  status,
  session_state_changed: sessionStateChanged,
  session_title_changed: sessionTitleChanged,
  commands_changed: commandsChanged,
  compact_boundary: compactBoundary,
  session_writes_lost: sessionWritesLost,
} as const;

export type SessionEvent =
  | SystemInit
  | SystemStatus
  | SystemSessionStateChanged
  | SystemSessionTitleChanged
  | SystemCommandsChanged
  | SystemCompactBoundary
  | SystemSessionWritesLost;
