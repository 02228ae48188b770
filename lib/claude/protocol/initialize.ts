/**
 * Initialize: what the host may ask for at the start, and what the CLI offers:
 * commands, agents, models, the account.
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

/** Which tool events the host wants to be asked about, by callback id. */
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
  /** Names of MCP servers that the host itself is. */
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
  /** An interrupt then spares tasks in the background. */
  perTaskStopAffordance: optional(boolean),
});
export interface InitializeFields extends Static<typeof initializeFields> {}
export const InitializeFields: Schema<InitializeFields> = initializeFields;

const agentOffer = object({ name: string, description: lenient(string), model: lenient(string) });
export interface AgentOffer extends Static<typeof agentOffer> {}
export const AgentOffer: Schema<AgentOffer> = agentOffer;

const modelOffer = object({
  /** What `set_model` and `--model` take. */
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

/** Signed in unless `tokenSource` is "none" and there is no `apiKeySource`. */
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

/** Everything is optional: older and newer CLIs offer less or more. */
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
  session_state: lenient(string),
  capabilities: lenient(items(string)),
});
export interface InitializeAnswer extends Static<typeof initializeAnswer> {}
export const InitializeAnswer: Schema<InitializeAnswer> = initializeAnswer;
