/**
 * Schemas of thread items: messages, reasoning and everything that Codex did in a turn.
 *
 * The same objects come live (`item/started`, `item/completed`) and in the history of a
 * thread. An item of a type that is not listed here becomes an `UnknownPart`.
 */
import {
  array,
  boolean,
  errorTo,
  items,
  literal,
  number,
  object,
  open,
  record,
  type Schema,
  type Static,
  string,
  tagged,
  unknown,
} from "../../schema/index.ts";
import { orUnknownPart, type UnknownPart } from "../unknown.ts";
import { maybe } from "./maybe.ts";
import { UserInput } from "./user-input.ts";

const userMessage = object({
  type: literal("userMessage"),
  id: string,
  /** The `clientUserMessageId` of the prompt. */
  clientId: maybe(string),
  content: errorTo(items(UserInput), () => []),
});
export interface UserMessageItem extends Static<typeof userMessage> {}
export const UserMessageItem: Schema<UserMessageItem> = userMessage;

const agentMessage = object({
  type: literal("agentMessage"),
  id: string,
  text: string,
  phase: maybe(open("commentary", "partial_answer", "final_answer")),
  delivery: maybe(open("async")),
});
export interface AgentMessageItem extends Static<typeof agentMessage> {}
export const AgentMessageItem: Schema<AgentMessageItem> = agentMessage;

const reasoning = object({
  type: literal("reasoning"),
  id: string,
  summary: maybe(items(string)),
  /** The raw reasoning; only with `show_raw_agent_reasoning`. */
  content: maybe(items(string)),
});
export interface ReasoningItem extends Static<typeof reasoning> {}
export const ReasoningItem: Schema<ReasoningItem> = reasoning;

/** The plan that the model proposes in plan mode. */
const plan = object({ type: literal("plan"), id: string, text: string });
export interface PlanItem extends Static<typeof plan> {}
export const PlanItem: Schema<PlanItem> = plan;

const commandAction = object({
  type: open("read", "listFiles", "search", "unknown"),
  command: maybe(string),
  name: maybe(string),
  path: maybe(string),
  query: maybe(string),
});
export interface CommandAction extends Static<typeof commandAction> {}
export const CommandAction: Schema<CommandAction> = commandAction;

export type CallStatus = "inProgress" | "completed" | "failed" | "declined" | (string & {});
const callStatus: Schema<CallStatus> = open("inProgress", "completed", "failed", "declined");

const commandExecution = object({
  type: literal("commandExecution"),
  id: string,
  /** A shell command line, quoted for display. */
  command: string,
  cwd: maybe(string),
  processId: maybe(string),
  source: maybe(open("agent", "unifiedExecStartup", "unifiedExecInteraction", "userShell")),
  status: callStatus,
  commandActions: maybe(items(CommandAction)),
  /** The whole output, cut in the middle past 1 MiB. The deltas are a suffix of it. */
  aggregatedOutput: maybe(string),
  exitCode: maybe(number),
  durationMs: maybe(number),
});
export interface CommandExecutionItem extends Static<typeof commandExecution> {}
export const CommandExecutionItem: Schema<CommandExecutionItem> = commandExecution;

const changeKind = object({
  type: open("add", "delete", "update"),
  move_path: maybe(string),
});
export interface ChangeKind extends Static<typeof changeKind> {}
const fileUpdateChange = object({
  /** Absolute, except in `patchUpdated`. */
  path: string,
  kind: errorTo<ChangeKind>(changeKind, () => ({ type: "update" })),
  /** add, delete: the whole text; update: hunks without file headers. */
  diff: string,
});
export interface FileUpdateChange extends Static<typeof fileUpdateChange> {}
export const FileUpdateChange: Schema<FileUpdateChange> = fileUpdateChange;

const fileChange = object({
  type: literal("fileChange"),
  id: string,
  // One unreadable change makes the item unknown: the user must not approve part of a patch.
  changes: array(FileUpdateChange),
  status: callStatus,
});
export interface FileChangeItem extends Static<typeof fileChange> {}
export const FileChangeItem: Schema<FileChangeItem> = fileChange;

const mcpToolCall = object({
  type: literal("mcpToolCall"),
  id: string,
  server: string,
  tool: string,
  status: callStatus,
  arguments: maybe(unknown),
  readOnlyHint: maybe(boolean),
  result: maybe(object({ content: maybe(items(unknown)) })),
  error: maybe(object({ message: maybe(string) })),
});
export interface McpToolCallItem extends Static<typeof mcpToolCall> {}
export const McpToolCallItem: Schema<McpToolCallItem> = mcpToolCall;

const dynamicToolCall = object({
  type: literal("dynamicToolCall"),
  id: string,
  tool: string,
  namespace: maybe(string),
  arguments: maybe(unknown),
  status: callStatus,
  contentItems: maybe(items(unknown)),
  success: maybe(boolean),
});
export interface DynamicToolCallItem extends Static<typeof dynamicToolCall> {}
export const DynamicToolCallItem: Schema<DynamicToolCallItem> = dynamicToolCall;

const agentState = object({ status: maybe(string), message: maybe(string) });
/** A call of the tools for subagents: `spawnAgent`, `sendInput`, `wait` and others. */
const collabAgentToolCall = object({
  type: literal("collabAgentToolCall"),
  id: string,
  tool: open("spawnAgent", "sendInput", "resumeAgent", "wait", "closeAgent"),
  status: callStatus,
  receiverThreadIds: maybe(items(string)),
  prompt: maybe(string),
  agentsStates: maybe(record(agentState)),
});
export interface CollabAgentToolCallItem extends Static<typeof collabAgentToolCall> {}
export const CollabAgentToolCallItem: Schema<CollabAgentToolCallItem> = collabAgentToolCall;

/** The start or the end of a subagent that has its own thread. */
const subAgentActivity = object({
  type: literal("subAgentActivity"),
  id: string,
  kind: open("started", "completed"),
  agentThreadId: string,
  /** Such as `/root/looker`. */
  agentPath: maybe(string),
});
export interface SubAgentActivityItem extends Static<typeof subAgentActivity> {}
export const SubAgentActivityItem: Schema<SubAgentActivityItem> = subAgentActivity;

const webSearchAction = object({
  type: open("search", "openPage", "findInPage", "other"),
  query: maybe(string),
  queries: maybe(items(string)),
  url: maybe(string),
  pattern: maybe(string),
});
const webSearch = object({
  type: literal("webSearch"),
  id: string,
  /** Empty until the search has ended. */
  query: maybe(string),
  action: maybe(webSearchAction),
});
export interface WebSearchItem extends Static<typeof webSearch> {}
export const WebSearchItem: Schema<WebSearchItem> = webSearch;

const imageView = object({ type: literal("imageView"), id: string, path: string });
export interface ImageViewItem extends Static<typeof imageView> {}
export const ImageViewItem: Schema<ImageViewItem> = imageView;

const imageGeneration = object({
  type: literal("imageGeneration"),
  id: string,
  status: maybe(string),
  revisedPrompt: maybe(string),
  /** Base64. */
  result: maybe(string),
  savedPath: maybe(string),
});
export interface ImageGenerationItem extends Static<typeof imageGeneration> {}
export const ImageGenerationItem: Schema<ImageGenerationItem> = imageGeneration;

const sleep = object({ type: literal("sleep"), id: string, durationMs: maybe(number) });
export interface SleepItem extends Static<typeof sleep> {}
export const SleepItem: Schema<SleepItem> = sleep;

const enteredReviewMode = object({ type: literal("enteredReviewMode"), id: string, review: maybe(string) });
export interface EnteredReviewModeItem extends Static<typeof enteredReviewMode> {}
export const EnteredReviewModeItem: Schema<EnteredReviewModeItem> = enteredReviewMode;

const exitedReviewMode = object({ type: literal("exitedReviewMode"), id: string, review: maybe(string) });
export interface ExitedReviewModeItem extends Static<typeof exitedReviewMode> {}
export const ExitedReviewModeItem: Schema<ExitedReviewModeItem> = exitedReviewMode;

const contextCompaction = object({ type: literal("contextCompaction"), id: string });
export interface ContextCompactionItem extends Static<typeof contextCompaction> {}
export const ContextCompactionItem: Schema<ContextCompactionItem> = contextCompaction;

/** Text for the model from a hook. */
const hookPrompt = object({ type: literal("hookPrompt"), id: string });
export interface HookPromptItem extends Static<typeof hookPrompt> {}
export const HookPromptItem: Schema<HookPromptItem> = hookPrompt;

const functionCallOutput = object({ type: literal("functionCallOutput"), id: string });
export interface FunctionCallOutputItem extends Static<typeof functionCallOutput> {}
export const FunctionCallOutputItem: Schema<FunctionCallOutputItem> = functionCallOutput;

export type KnownItem =
  | UserMessageItem
  | AgentMessageItem
  | ReasoningItem
  | PlanItem
  | CommandExecutionItem
  | FileChangeItem
  | McpToolCallItem
  | DynamicToolCallItem
  | CollabAgentToolCallItem
  | SubAgentActivityItem
  | WebSearchItem
  | ImageViewItem
  | ImageGenerationItem
  | SleepItem
  | EnteredReviewModeItem
  | ExitedReviewModeItem
  | ContextCompactionItem
  | HookPromptItem
  | FunctionCallOutputItem;

export type ThreadItem = KnownItem | UnknownPart;
export const ThreadItem: Schema<ThreadItem> = orUnknownPart<KnownItem>(
  tagged("type", {
    userMessage,
    agentMessage,
    reasoning,
    plan,
    commandExecution,
    fileChange,
    mcpToolCall,
    dynamicToolCall,
    collabAgentToolCall,
    subAgentActivity,
    webSearch,
    imageView,
    imageGeneration,
    sleep,
    enteredReviewMode,
    exitedReviewMode,
    contextCompaction,
    hookPrompt,
    functionCallOutput,
  }),
);
