/**
 * The control requests that the host can send to the CLI.
 *
 * One row per request: the schema of its fields, the schema of the answer, and the time
 * limit. Answers require only the fields that our code reads; other fields pass through.
 */
import {
  array,
  boolean,
  items,
  lenient,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  type Schema,
  type Static,
  string,
  unknown,
} from "../../schema/index.ts";
import { InitializeAnswer, InitializeFields, ModelOffer } from "../protocol/initialize.ts";
import { McpServerConfig, McpServerStatus } from "../protocol/mcp-server.ts";
import { PermissionMode } from "../protocol/permission.ts";
import { UsageAnswer } from "../protocol/usage.ts";

/** For requests the CLI answers from memory. */
const quickMs = 10_000;
/** For requests that may start programs or read many files. */
const slowMs = 60_000;
/** For requests that wait for a model or for the user. */
const waitingMs = 600_000;

export interface ControlMethod {
  readonly fields: Schema<any>;
  readonly answer: Schema<any>;
  readonly limitMs: number;
}

const none = object({});

const interruptAnswer = object({
  /** Queued prompts that will still run. */
  still_queued: lenient(items(string)),
  /** Queued prompts that `cancel_queued` removed. */
  cancelled: lenient(items(string)),
});
export interface InterruptAnswer extends Static<typeof interruptAnswer> {}
export const InterruptAnswer: Schema<InterruptAnswer> = interruptAnswer;

const contextCategory = object({
  id: lenient(string),
  name: lenient(string),
  tokens: lenient(number),
  kind: lenient(string),
});
export interface ContextCategory extends Static<typeof contextCategory> {}
export const ContextCategory: Schema<ContextCategory> = contextCategory;

const contextUsage = object({
  totalTokens: lenient(number),
  maxTokens: lenient(number),
  rawMaxTokens: lenient(number),
  categories: lenient(items(ContextCategory)),
});
export interface ContextUsage extends Static<typeof contextUsage> {}
export const ContextUsage: Schema<ContextUsage> = contextUsage;

const mcpStatusAnswer = object({ mcpServers: items(McpServerStatus) });
export interface McpStatusAnswer extends Static<typeof mcpStatusAnswer> {}
export const McpStatusAnswer: Schema<McpStatusAnswer> = mcpStatusAnswer;

const mcpSignInAnswer = object({ authUrl: lenient(string), requiresUserAction: lenient(boolean) });
export interface McpSignInAnswer extends Static<typeof mcpSignInAnswer> {}
export const McpSignInAnswer: Schema<McpSignInAnswer> = mcpSignInAnswer;

const mcpSetServersAnswer = object({
  added: lenient(items(string)),
  removed: lenient(items(string)),
  /** By server name: why the server could not be added. */
  errors: lenient(record(string)),
});
export interface McpSetServersAnswer extends Static<typeof mcpSetServersAnswer> {}
export const McpSetServersAnswer: Schema<McpSetServersAnswer> = mcpSetServersAnswer;

const rewindAnswer = object({
  canRewind: lenient(boolean),
  error: lenient(string),
  filesChanged: lenient(items(string)),
  insertions: lenient(number),
  deletions: lenient(number),
});
export interface RewindAnswer extends Static<typeof rewindAnswer> {}
export const RewindAnswer: Schema<RewindAnswer> = rewindAnswer;

const rewindConversationAnswer = object({
  rewound: lenient(boolean),
  error: lenient(string),
  /** `stale_target`: a newer prompt must be taken back first. */
  reason: lenient(string),
});
export interface RewindConversationAnswer extends Static<typeof rewindConversationAnswer> {}
export const RewindConversationAnswer: Schema<RewindConversationAnswer> = rewindConversationAnswer;

const settingsAnswer = object({
  effective: lenient(record(unknown)),
  applied: lenient(object({ model: lenient(nullable(string)), effort: lenient(nullable(string)) })),
});
export interface SettingsAnswer extends Static<typeof settingsAnswer> {}
export const SettingsAnswer: Schema<SettingsAnswer> = settingsAnswer;

const taskOutput = object({ output: lenient(string), total_bytes: lenient(number), truncated: lenient(boolean) });
export interface TaskOutput extends Static<typeof taskOutput> {}
export const TaskOutput: Schema<TaskOutput> = taskOutput;

const signInLinks = object({ manualUrl: lenient(string), automaticUrl: lenient(string) });
export interface SignInLinks extends Static<typeof signInLinks> {}
export const SignInLinks: Schema<SignInLinks> = signInLinks;

/** `rule` is in the notation of the settings file: `Bash(npm test:*)`. */
const listedRule = object({
  behavior: string,
  rule: string,
  source: lenient(string),
});
/** A rule that cannot be read makes the whole answer unreadable: a rule that is missed could be one that denies. */
const permissionRules = object({
  state: object({
    rules: array(listedRule),
    workspaceDirectories: lenient(items(object({ path: string }))),
    /** The project's directory; the worktree's after EnterWorktree. */
    originalCwd: lenient(string),
  }),
});
export interface PermissionRules extends Static<typeof permissionRules> {}
export const PermissionRules: Schema<PermissionRules> = permissionRules;

/** The hooks in effect, without those that the host itself has given the CLI. */
const hooksListing = object({
  hooks: array(
    object({ event: string, matcher: lenient(unknown), condition: lenient(unknown), source: lenient(string) }),
  ),
  policy: lenient(object({ policyHookCount: lenient(number) })),
});
export interface HooksListing extends Static<typeof hooksListing> {}
export const HooksListing: Schema<HooksListing> = hooksListing;

const planAnswer = object({ exists: lenient(boolean), content: lenient(string), path: lenient(string) });
export interface PlanAnswer extends Static<typeof planAnswer> {}
export const PlanAnswer: Schema<PlanAnswer> = planAnswer;

/** The control requests of the host to the CLI, with the schemas of their answers. */
export const controlMethods = {
  /** Takes 0.5 s on an idle machine and 5 s when eight CLIs start at once. */
  initialize: { fields: InitializeFields, answer: InitializeAnswer, limitMs: slowMs },
  interrupt: { fields: object({ cancel_queued: optional(boolean) }), answer: InterruptAnswer, limitMs: quickMs },
  /** The CLI accepts any name without checking it. Null or a missing field means the default model. */
  set_model: {
    fields: object({ model: optional(nullable(string)) }),
    answer: object({ model: lenient(string) }),
    limitMs: quickMs,
  },
  set_permission_mode: {
    fields: object({ mode: PermissionMode }),
    answer: object({ mode: lenient(PermissionMode) }),
    limitMs: quickMs,
  },
  set_max_thinking_tokens: {
    fields: object({ max_thinking_tokens: optional(nullable(number)), thinking_display: optional(string) }),
    answer: none,
    limitMs: quickMs,
  },
  /** Takes effect at once. The way to set the effort of a running session. */
  apply_flag_settings: { fields: object({ settings: record(unknown) }), answer: none, limitMs: quickMs },
  get_hooks_listing: { fields: none, answer: HooksListing, limitMs: quickMs },
  get_settings: { fields: none, answer: SettingsAnswer, limitMs: quickMs },
  list_models: { fields: none, answer: object({ models: items(ModelOffer) }), limitMs: quickMs },
  mcp_status: { fields: none, answer: McpStatusAnswer, limitMs: quickMs },
  /** Does not change the servers of `--mcp-config`. */
  mcp_set_servers: {
    fields: object({ servers: record(McpServerConfig) }),
    answer: McpSetServersAnswer,
    limitMs: slowMs,
  },
  mcp_reconnect: { fields: object({ serverName: string }), answer: none, limitMs: slowMs },
  mcp_toggle: { fields: object({ serverName: string, enabled: boolean }), answer: none, limitMs: slowMs },
  /** Starts an OAuth sign-in to a server and answers with the address to open; the CLI waits for its callback. */
  mcp_authenticate: { fields: object({ serverName: string }), answer: McpSignInAnswer, limitMs: slowMs },
  /** Answered when the sign-in is complete. */
  mcp_oauth_callback_url: {
    fields: object({ serverName: string, callbackUrl: string }),
    answer: none,
    limitMs: slowMs,
  },
  mcp_call: {
    fields: object({ tool: string, arguments: optional(record(unknown)) }),
    answer: object({ content: lenient(unknown) }),
    limitMs: waitingMs,
  },
  /** A JSON-RPC message to the CLI from an MCP server that the host runs itself. */
  mcp_message: { fields: object({ server_name: string, message: unknown }), answer: none, limitMs: quickMs },
  /** `full` makes the CLI call the API to count tokens; `summary` does not. */
  get_context_usage: {
    fields: object({ detail: optional(oneOf("summary", "full")) }),
    answer: ContextUsage,
    limitMs: slowMs,
  },
  get_session_cost: { fields: none, answer: object({ text: lenient(string) }), limitMs: quickMs },
  /** Asks the API for the limits of the plan. `skip_behaviors` saves the scan of all transcripts of a week. */
  get_usage: { fields: object({ skip_behaviors: optional(boolean) }), answer: UsageAnswer, limitMs: slowMs },
  get_binary_version: { fields: none, answer: object({ version: lenient(string) }), limitMs: quickMs },
  get_plan: { fields: none, answer: PlanAnswer, limitMs: quickMs },
  /** Needs `fileCheckpoints`, see `childEnvironment`. */
  rewind_files: {
    fields: object({ user_message_id: string, dry_run: optional(boolean) }),
    answer: RewindAnswer,
    limitMs: slowMs,
  },
  /** Takes back the newest prompt and what came after it. The transcript notes it, so a resumed conversation lacks it too. */
  rewind_conversation: {
    fields: object({ target_message_uuid: string }),
    answer: RewindConversationAnswer,
    limitMs: slowMs,
  },
  rename_session: {
    fields: object({ title: string, source: oneOf("host"), session_id: optional(string) }),
    answer: none,
    limitMs: quickMs,
  },
  generate_session_title: {
    fields: object({ description: string, persist: optional(boolean) }),
    answer: object({ title: lenient(nullable(string)) }),
    limitMs: slowMs,
  },
  side_question: {
    fields: object({ question: string }),
    answer: object({ response: lenient(nullable(string)) }),
    limitMs: waitingMs,
  },
  /** Removes a prompt that is still queued. */
  cancel_async_message: {
    fields: object({ message_uuid: string }),
    answer: object({ cancelled: lenient(boolean) }),
    limitMs: quickMs,
  },
  background_tasks: { fields: object({ tool_use_id: optional(string) }), answer: none, limitMs: quickMs },
  stop_task: { fields: object({ task_id: string }), answer: none, limitMs: quickMs },
  get_task_output: { fields: object({ task_id: string }), answer: TaskOutput, limitMs: quickMs },
  read_file: {
    fields: object({ path: string }),
    answer: object({ contents: lenient(string), absPath: lenient(string) }),
    limitMs: quickMs,
  },
  list_permission_rules: { fields: none, answer: PermissionRules, limitMs: quickMs },
  file_suggestions: {
    fields: object({ query: string }),
    answer: object({ suggestions: lenient(items(unknown)) }),
    limitMs: quickMs,
  },
  reload_plugins: { fields: none, answer: none, limitMs: slowMs },
  reload_skills: { fields: none, answer: none, limitMs: slowMs },
  /** The CLI then exits with code 0. */
  end_session: { fields: none, answer: none, limitMs: quickMs },
  /** Starts a login that needs no terminal. */
  claude_authenticate: { fields: object({ loginWithClaudeAi: boolean }), answer: SignInLinks, limitMs: slowMs },
  claude_oauth_callback: {
    fields: object({ authorizationCode: string, state: string }),
    answer: none,
    limitMs: slowMs,
  },
  claude_oauth_wait_for_completion: { fields: none, answer: none, limitMs: waitingMs },
} as const satisfies Readonly<Record<string, ControlMethod>>;

export type ControlMethods = typeof controlMethods;
export type ControlName = keyof ControlMethods;
export type ControlFields<N extends ControlName> = Static<ControlMethods[N]["fields"]>;
export type ControlAnswer<N extends ControlName> = Static<ControlMethods[N]["answer"]>;
