/**
 * Schemas of what the host asks `codex app-server` about: the program, models, the account,
 * the configuration, skills and MCP servers.
 */
import {
  boolean,
  errorTo,
  items,
  number,
  object,
  open,
  record,
  type Schema,
  type Static,
  string,
  unknown,
} from "../../schema/index.ts";
import { maybe } from "./maybe.ts";
import { ApprovalPolicy, SandboxMode } from "./thread.ts";

const initialized = object({ userAgent: maybe(string), codexHome: maybe(string), platformOs: maybe(string) });
/** The answer to `initialize`. */
export interface Initialized extends Static<typeof initialized> {}
export const Initialized: Schema<Initialized> = initialized;

const reasoningEffort = object({ reasoningEffort: string, description: maybe(string) });
const serviceTier = object({ id: string, name: maybe(string), description: maybe(string) });
const codexModel = object({
  /** The name to send; `id` may differ. */
  model: string,
  id: maybe(string),
  displayName: maybe(string),
  description: maybe(string),
  hidden: maybe(boolean),
  isDefault: maybe(boolean),
  supportedReasoningEfforts: maybe(items(reasoningEffort)),
  defaultReasoningEffort: maybe(string),
  inputModalities: maybe(items(string)),
  serviceTiers: maybe(items(serviceTier)),
});
export interface CodexModel extends Static<typeof codexModel> {}
export const CodexModel: Schema<CodexModel> = codexModel;

const modelPage = object({ data: errorTo(items(CodexModel), () => []), nextCursor: maybe(string) });
/** The answer to `model/list`. */
export interface ModelPage extends Static<typeof modelPage> {}
export const ModelPage: Schema<ModelPage> = modelPage;

const account = object({
  type: open("apiKey", "chatgpt", "amazonBedrock"),
  email: maybe(string),
  planType: maybe(string),
});
const accountState = object({ account: maybe(account), requiresOpenaiAuth: maybe(boolean) });
/** The answer to `account/read`. Not signed in: no account, and `requiresOpenaiAuth`. */
export interface AccountState extends Static<typeof accountState> {}
export const AccountState: Schema<AccountState> = accountState;

const rateLimitWindow = object({
  usedPercent: maybe(number),
  /** Seconds since the epoch. */
  resetsAt: maybe(number),
  windowDurationMins: maybe(number),
});
const rateLimits = object({
  limitId: maybe(string),
  limitName: maybe(string),
  primary: maybe(rateLimitWindow),
  secondary: maybe(rateLimitWindow),
  planType: maybe(string),
  rateLimitReachedType: maybe(string),
});
/** The limits of an account, or of a model. */
export interface RateLimits extends Static<typeof rateLimits> {}
export const RateLimits: Schema<RateLimits> = rateLimits;

const accountRateLimits = object({ rateLimits: RateLimits, rateLimitsByLimitId: maybe(record(RateLimits)) });
/** The answer to `account/rateLimits/read`. */
export interface AccountRateLimits extends Static<typeof accountRateLimits> {}
export const AccountRateLimits: Schema<AccountRateLimits> = accountRateLimits;

const startedLogin = object({
  type: maybe(string),
  loginId: maybe(string),
  authUrl: maybe(string),
  verificationUrl: maybe(string),
  userCode: maybe(string),
});
/** The answer to `account/login/start`. */
export interface StartedLogin extends Static<typeof startedLogin> {}
export const StartedLogin: Schema<StartedLogin> = startedLogin;

const project = object({ trust_level: maybe(string) });
const workspaceWriteConfig = object({
  writable_roots: maybe(items(string)),
  network_access: maybe(boolean),
  exclude_tmpdir_env_var: maybe(boolean),
  exclude_slash_tmp: maybe(boolean),
});
const codexConfig = object({
  model: maybe(string),
  model_provider: maybe(string),
  model_reasoning_effort: maybe(string),
  model_reasoning_summary: maybe(string),
  approval_policy: maybe(ApprovalPolicy),
  sandbox_mode: maybe(SandboxMode),
  sandbox_workspace_write: maybe(workspaceWriteConfig),
  /** The name of a permission profile; Codex then ignores the sandbox above. */
  default_permissions: maybe(string),
  projects: maybe(record(errorTo(project, () => ({})))),
  mcp_servers: maybe(record(unknown)),
  tools: maybe(record(unknown)),
});
export interface CodexConfig extends Static<typeof codexConfig> {}
export const CodexConfig: Schema<CodexConfig> = codexConfig;

const readConfig = object({ config: CodexConfig });
/** The answer to `config/read`: the effective configuration of a directory. */
export interface ReadConfig extends Static<typeof readConfig> {}
export const ReadConfig: Schema<ReadConfig> = readConfig;

const skill = object({ name: string, description: maybe(string), path: maybe(string), enabled: maybe(boolean) });
const skillList = object({
  data: errorTo(items(object({ cwd: maybe(string), skills: maybe(items(skill)) })), () => []),
});
/** The answer to `skills/list`. */
export interface SkillList extends Static<typeof skillList> {}
export const SkillList: Schema<SkillList> = skillList;

const mcpServerStatus = object({
  name: string,
  /** How the thread's connection to the server is. */
  runtimeStatus: maybe(string),
  authStatus: maybe(string),
  tools: maybe(record(unknown)),
});
const mcpServerPage = object({ data: errorTo(items(mcpServerStatus), () => []), nextCursor: maybe(string) });
/** The answer to `mcpServerStatus/list`. */
export interface McpServerPage extends Static<typeof mcpServerPage> {}
export const McpServerPage: Schema<McpServerPage> = mcpServerPage;

const mcpSignIn = object({ authorizationUrl: string });
/** The answer to `mcpServer/oauth/login`: the address that the user opens. */
export interface McpSignIn extends Static<typeof mcpSignIn> {}
export const McpSignIn: Schema<McpSignIn> = mcpSignIn;

const backgroundTerminal = object({ itemId: maybe(string), processId: maybe(string), command: maybe(string) });
const backgroundTerminals = object({ data: errorTo(items(backgroundTerminal), () => []) });
/** The answer to `thread/backgroundTerminals/list`. */
export interface BackgroundTerminals extends Static<typeof backgroundTerminals> {}
export const BackgroundTerminals: Schema<BackgroundTerminals> = backgroundTerminals;
