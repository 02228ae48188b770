/**
 * Schemas of permission modes, rules and updates, and of the `can_use_tool` request in
 * which the CLI asks whether a tool may run.
 */
import {
  boolean,
  either,
  items,
  lenient,
  literal,
  object,
  oneOf,
  open,
  optional,
  record,
  refine,
  type Schema,
  type Static,
  string,
  tagged,
  unknown,
} from "../../schema/index.ts";

export type PermissionMode = Static<typeof PermissionMode>;
export const PermissionMode = open("default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions");

/** Where an update is stored. All but `session` and `cliArg` write one of the user's settings files. */
export type PermissionDestination = Static<typeof PermissionDestination>;
export const PermissionDestination = open("session", "localSettings", "projectSettings", "userSettings", "cliArg");

const permissionRule = object({ toolName: string, ruleContent: lenient(string) });
export interface PermissionRule extends Static<typeof permissionRule> {}
export const PermissionRule: Schema<PermissionRule> = permissionRule;

const rulesUpdate = object({
  type: oneOf("addRules", "replaceRules", "removeRules"),
  rules: items(PermissionRule),
  behavior: open("allow", "deny", "ask"),
  destination: PermissionDestination,
});
export interface RulesUpdate extends Static<typeof rulesUpdate> {}
export const RulesUpdate: Schema<RulesUpdate> = rulesUpdate;

const modeUpdate = object({ type: literal("setMode"), mode: PermissionMode, destination: PermissionDestination });
export interface ModeUpdate extends Static<typeof modeUpdate> {}
export const ModeUpdate: Schema<ModeUpdate> = modeUpdate;

const directoriesUpdate = object({
  type: oneOf("addDirectories", "removeDirectories"),
  directories: items(string),
  destination: PermissionDestination,
});
export interface DirectoriesUpdate extends Static<typeof directoriesUpdate> {}
export const DirectoriesUpdate: Schema<DirectoriesUpdate> = directoriesUpdate;

const updateVariants = {
  addRules: rulesUpdate,
  replaceRules: rulesUpdate,
  removeRules: rulesUpdate,
  setMode: modeUpdate,
  addDirectories: directoriesUpdate,
  removeDirectories: directoriesUpdate,
} as const;

/** A change of the permission rules, suggested by the CLI or requested by the host. */
export type PermissionUpdate = RulesUpdate | ModeUpdate | DirectoriesUpdate;
export const PermissionUpdate: Schema<PermissionUpdate> = tagged("type", updateVariants);

/** An update of a kind that this version does not know, for callers that forward it unchanged. */
const otherUpdate = refine(object({ type: string }), "a permission update", ({ type }) => {
  return !Object.hasOwn(updateVariants, type);
});
export interface OtherUpdate extends Static<typeof otherUpdate> {}
export const OtherUpdate: Schema<OtherUpdate> = otherUpdate;

export const AnyUpdate: Schema<PermissionUpdate | OtherUpdate> = either(
  "a permission update",
  PermissionUpdate,
  OtherUpdate,
);

const mcpServerName = object({ name: string, source: lenient(string) });
export interface McpServerName extends Static<typeof mcpServerName> {}
export const McpServerName: Schema<McpServerName> = mcpServerName;

/** The CLI asks whether a tool may run with this input. */
const canUseTool = object({
  subtype: literal("can_use_tool"),
  tool_name: string,
  input: record(unknown),
  tool_use_id: lenient(string),
  display_name: lenient(string),
  title: lenient(string),
  description: lenient(string),
  permission_suggestions: lenient(items(PermissionUpdate)),
  blocked_path: lenient(string),
  decision_reason: lenient(string),
  decision_reason_type: lenient(string),
  /** The subagent that called the tool. */
  agent_id: lenient(string),
  mcp_server: lenient(McpServerName),
  /** The call is a question or a plan for the user, so no rule may answer it. */
  requires_user_interaction: lenient(boolean),
  suppress_always_allow_rule: lenient(boolean),
  default_to_no: lenient(boolean),
});
export interface CanUseTool extends Static<typeof canUseTool> {}
export const CanUseTool: Schema<CanUseTool> = canUseTool;

const allowTool = object({
  behavior: literal("allow"),
  /** The input to run the tool with. The answer gets the input of the request when it is missing. */
  updatedInput: optional(record(unknown)),
  updatedPermissions: optional(items(AnyUpdate)),
  decisionClassification: optional(string),
  toolUseID: optional(string),
});
export interface AllowTool extends Static<typeof allowTool> {}
export const AllowTool: Schema<AllowTool> = allowTool;

const denyTool = object({
  behavior: literal("deny"),
  /** Becomes the tool's result: the model reads it, and the turn continues. */
  message: string,
  /** True: the turn ends too. */
  interrupt: optional(boolean),
  decisionClassification: optional(string),
  toolUseID: optional(string),
});
export interface DenyTool extends Static<typeof denyTool> {}
export const DenyTool: Schema<DenyTool> = denyTool;

export type ToolDecision = AllowTool | DenyTool;
export const ToolDecision: Schema<ToolDecision> = tagged("behavior", { allow: allowTool, deny: denyTool });
