/**
 * Schemas of session updates: everything an agent reports to the client about a session.
 *
 * A closed union, tagged by `sessionUpdate`.
 */
import {
  errorTo,
  items,
  lenient,
  literal,
  nonEmptyString,
  nullable,
  number,
  open,
  type Schema,
  type Static,
  string,
  tagged,
  uint64,
} from "../../schema/index.ts";
import { SessionConfigOption } from "./config-option.ts";
import { ContentBlock } from "./content.ts";
import { withMeta } from "./common.ts";
import { PlanEntry } from "./plan.ts";
import { toolCallChangeFields, toolCallFields } from "./tool-call.ts";

/** Chunks with the same `messageId` belong to one message. */
const chunk = { content: ContentBlock, messageId: lenient(nullable(string)) };

const userMessageChunk = withMeta({ sessionUpdate: literal("user_message_chunk"), ...chunk });
export interface UserMessageChunk extends Static<typeof userMessageChunk> {}
export const UserMessageChunk: Schema<UserMessageChunk> = userMessageChunk;

const agentMessageChunk = withMeta({ sessionUpdate: literal("agent_message_chunk"), ...chunk });
export interface AgentMessageChunk extends Static<typeof agentMessageChunk> {}
export const AgentMessageChunk: Schema<AgentMessageChunk> = agentMessageChunk;

const agentThoughtChunk = withMeta({ sessionUpdate: literal("agent_thought_chunk"), ...chunk });
export interface AgentThoughtChunk extends Static<typeof agentThoughtChunk> {}
export const AgentThoughtChunk: Schema<AgentThoughtChunk> = agentThoughtChunk;

const toolCallStarted = withMeta({ sessionUpdate: literal("tool_call"), ...toolCallFields });
export interface ToolCallStarted extends Static<typeof toolCallStarted> {}
export const ToolCallStarted: Schema<ToolCallStarted> = toolCallStarted;

const toolCallChanged = withMeta({ sessionUpdate: literal("tool_call_update"), ...toolCallChangeFields });
export interface ToolCallChanged extends Static<typeof toolCallChanged> {}
export const ToolCallChanged: Schema<ToolCallChanged> = toolCallChanged;

const plan = withMeta({ sessionUpdate: literal("plan"), entries: errorTo(items(PlanEntry), () => []) });
export interface Plan extends Static<typeof plan> {}
export const Plan: Schema<Plan> = plan;

const availableCommandInput = withMeta({ hint: string });
export interface AvailableCommandInput extends Static<typeof availableCommandInput> {}
export const AvailableCommandInput: Schema<AvailableCommandInput> = availableCommandInput;

const availableCommand = withMeta({
  name: string,
  description: string,
  input: lenient(nullable(AvailableCommandInput)),
});
export interface AvailableCommand extends Static<typeof availableCommand> {}
export const AvailableCommand: Schema<AvailableCommand> = availableCommand;

const availableCommandsUpdate = withMeta({
  sessionUpdate: literal("available_commands_update"),
  availableCommands: errorTo(items(AvailableCommand), () => []),
});
export interface AvailableCommandsUpdate extends Static<typeof availableCommandsUpdate> {}
export const AvailableCommandsUpdate: Schema<AvailableCommandsUpdate> = availableCommandsUpdate;

const currentModeUpdate = withMeta({ sessionUpdate: literal("current_mode_update"), currentModeId: string });
export interface CurrentModeUpdate extends Static<typeof currentModeUpdate> {}
export const CurrentModeUpdate: Schema<CurrentModeUpdate> = currentModeUpdate;

const configOptionUpdate = withMeta({
  sessionUpdate: literal("config_option_update"),
  configOptions: errorTo(items(SessionConfigOption), () => []),
});
export interface ConfigOptionUpdate extends Static<typeof configOptionUpdate> {}
export const ConfigOptionUpdate: Schema<ConfigOptionUpdate> = configOptionUpdate;

const sessionInfoUpdate = withMeta({
  sessionUpdate: literal("session_info_update"),
  /** Left out: unchanged; null: removed. */
  title: lenient(nullable(string)),
  updatedAt: lenient(nullable(string)),
});
export interface SessionInfoUpdate extends Static<typeof sessionInfoUpdate> {}
export const SessionInfoUpdate: Schema<SessionInfoUpdate> = sessionInfoUpdate;

const cost = withMeta({ amount: number, currency: string });
export interface Cost extends Static<typeof cost> {}
export const Cost: Schema<Cost> = cost;

const usageUpdate = withMeta({
  sessionUpdate: literal("usage_update"),
  /** Tokens in the context. */
  used: uint64,
  /** The size of the context, in tokens. */
  size: uint64,
  /** The cost of the session so far. */
  cost: lenient(nullable(Cost)),
});
export interface UsageUpdate extends Static<typeof usageUpdate> {}
export const UsageUpdate: Schema<UsageUpdate> = usageUpdate;

export type NoticeSeverity = "info" | "warning" | "error" | (string & {});
export const NoticeSeverity: Schema<NoticeSeverity> = open("info", "warning", "error");

const notice = withMeta({
  sessionUpdate: literal("notice"),
  severity: NoticeSeverity,
  title: nonEmptyString,
  description: lenient(nullable(string)),
});
/** Only for clients that advertise `session.notices`. */
export interface Notice extends Static<typeof notice> {}
export const Notice: Schema<Notice> = notice;

export type CompactionStatus = "in_progress" | "completed" | "failed" | "cancelled" | (string & {});
export const CompactionStatus: Schema<CompactionStatus> = open("in_progress", "completed", "failed", "cancelled");

const compactionUpdate = withMeta({
  sessionUpdate: literal("compaction_update"),
  compactionId: string,
  status: CompactionStatus,
  summary: lenient(nullable(items(ContentBlock))),
  error: lenient(nullable(string)),
});
/** Only for clients that advertise `session.compaction`. */
export interface CompactionUpdate extends Static<typeof compactionUpdate> {}
export const CompactionUpdate: Schema<CompactionUpdate> = compactionUpdate;

const compactionSummaryChunk = withMeta({
  sessionUpdate: literal("compaction_summary_chunk"),
  compactionId: string,
  content: ContentBlock,
});
/** Only for clients that advertise `session.compaction`. */
export interface CompactionSummaryChunk extends Static<typeof compactionSummaryChunk> {}
export const CompactionSummaryChunk: Schema<CompactionSummaryChunk> = compactionSummaryChunk;

export type SessionUpdate =
  | UserMessageChunk
  | AgentMessageChunk
  | AgentThoughtChunk
  | ToolCallStarted
  | ToolCallChanged
  | Plan
  | AvailableCommandsUpdate
  | CurrentModeUpdate
  | ConfigOptionUpdate
  | SessionInfoUpdate
  | UsageUpdate
  | Notice
  | CompactionUpdate
  | CompactionSummaryChunk;
export const SessionUpdate: Schema<SessionUpdate> = tagged("sessionUpdate", {
  user_message_chunk: UserMessageChunk,
  agent_message_chunk: AgentMessageChunk,
  agent_thought_chunk: AgentThoughtChunk,
  tool_call: ToolCallStarted,
  tool_call_update: ToolCallChanged,
  plan: Plan,
  available_commands_update: AvailableCommandsUpdate,
  current_mode_update: CurrentModeUpdate,
  config_option_update: ConfigOptionUpdate,
  session_info_update: SessionInfoUpdate,
  usage_update: UsageUpdate,
  notice: Notice,
  compaction_update: CompactionUpdate,
  compaction_summary_chunk: CompactionSummaryChunk,
});

const sessionNotification = withMeta({ sessionId: string, update: SessionUpdate });
export interface SessionNotification extends Static<typeof sessionNotification> {}
export const SessionNotification: Schema<SessionNotification> = sessionNotification;
