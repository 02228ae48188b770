/**
 * Schemas of the `initialize` control request: what the host asks for, and what the CLI
 * offers in its answer (slash commands, subagents, models, the account).
 */
import {
  boolean,
  items,
  lenient,
  nullable,
  number,
  object,
  optional,
  record,
  type Schema,
  type Static,
  string,
  unknown,
} from "../../schema/index.ts";
import { PermissionMode } from "./permission.ts";
import { SlashCommand } from "./system-session.ts";

/** Registers hooks of the host: for which tools the CLI calls which callback ids. */
const hookMatcher = object({
  matcher: optional(string),
  hookCallbackIds: items(string),
  timeout: optional(number),
  onFailure: optional(string),
});
export interface HookMatcher extends Static<typeof hookMatcher> {}
export const HookMatcher: Schema<HookMatcher> = hookMatcher;

const initializeFields = object({
  hooks: optional(record(items(HookMatcher))),
  /** The names of the MCP servers that the host runs itself. */
  sdkMcpServers: optional(items(string)),
  sdkMcpServerConfigs: optional(record(unknown)),
  sdkMcpServerManifests: optional(record(unknown)),
  jsonSchema: optional(unknown),
  systemPrompt: optional(items(string)),
  appendSystemPrompt: optional(string),
  planModeInstructions: optional(string),
  toolAliases: optional(record(string)),
  excludeDynamicSections: optional(boolean),
  agents: optional(record(unknown)),
  title: optional(string),
  skills: optional(items(unknown)),
  promptSuggestions: optional(boolean),
  agentProgressSummaries: optional(boolean),
  forwardSubagentText: optional(boolean),
  supportedDialogKinds: optional(items(string)),
  /** True: an interrupt does not stop background tasks. */
  perTaskStopAffordance: optional(boolean),
});
export interface InitializeFields extends Static<typeof initializeFields> {}
export const InitializeFields: Schema<InitializeFields> = initializeFields;

const agentOffer = object({ name: string, description: lenient(string), model: lenient(string) });
export interface AgentOffer extends Static<typeof agentOffer> {}
export const AgentOffer: Schema<AgentOffer> = agentOffer;

const modelOffer = object({
  /** The name for `set_model` and `--model`. */
  value: string,
  resolvedModel: lenient(string),
  displayName: lenient(string),
  description: lenient(string),
  supportsEffort: lenient(boolean),
  supportedEffortLevels: lenient(items(string)),
  supportsAdaptiveThinking: lenient(boolean),
  supportsFastMode: lenient(boolean),
  supportsAutoMode: lenient(boolean),
  supportsThinkingOff: lenient(boolean),
});
export interface ModelOffer extends Static<typeof modelOffer> {}
export const ModelOffer: Schema<ModelOffer> = modelOffer;

/** The user is signed in unless `tokenSource` is "none" and `apiKeySource` is missing. */
const account = object({
  email: lenient(string),
  organization: lenient(string),
  subscriptionType: lenient(nullable(string)),
  tokenSource: lenient(string),
  apiKeySource: lenient(string),
  apiProvider: lenient(string),
});
export interface Account extends Static<typeof account> {}
export const Account: Schema<Account> = account;

/** Every field is optional, because CLI versions differ in what they offer. */
const initializeAnswer = object({
  commands: lenient(items(SlashCommand)),
  agents: lenient(items(AgentOffer)),
  models: lenient(items(ModelOffer)),
  account: lenient(Account),
  output_style: lenient(string),
  available_output_styles: lenient(items(string)),
  pid: lenient(number),
  claude_code_version: lenient(string),
  current_permission_mode: lenient(PermissionMode),
  fast_mode_state: lenient(string),
  fast_mode_disabled_reason: lenient(string),
  session_state: lenient(string),
  capabilities: lenient(items(string)),
});
export interface InitializeAnswer extends Static<typeof initializeAnswer> {}
export const InitializeAnswer: Schema<InitializeAnswer> = initializeAnswer;
