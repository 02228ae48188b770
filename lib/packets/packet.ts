/**
 * Schemas and types of the packets that a web page receives, one per session event.
 *
 * `Packet` is a closed union discriminated by `type`. The key set of each packet is
 * closed too: a field whose value is unknown is null, not missing, and no key outside
 * this file is ever sent.
 */
import { ElicitationSchema, NoticeSeverity, PermissionOption, type PlanEntry } from "../acp/index.ts";
import {
  array,
  literal,
  nullable,
  object,
  oneOf,
  open,
  optional,
  record,
  type Schema,
  type Static,
  string,
  tagged,
  unknown,
} from "../schema/index.ts";
import { LocationInfo, nil, PacketBlock, PacketMeta, ToolContentItem } from "./content.ts";

/** Optional because a stream with `isStrict` leaves it out of most packets. */
const timestamp = optional(string);

const agentMessageChunk = object({
  _meta: PacketMeta,
  content: PacketBlock,
  sessionUpdate: literal("agent_message_chunk"),
  type: literal("agent_message_chunk"),
  timestamp,
});
export interface AgentMessageChunkPacket extends Static<typeof agentMessageChunk> {}
export const AgentMessageChunkPacket: Schema<AgentMessageChunkPacket> = agentMessageChunk;

const agentThoughtChunk = object({
  _meta: PacketMeta,
  content: PacketBlock,
  sessionUpdate: literal("agent_thought_chunk"),
  type: literal("agent_thought_chunk"),
  timestamp,
});
export interface AgentThoughtChunkPacket extends Static<typeof agentThoughtChunk> {}
export const AgentThoughtChunkPacket: Schema<AgentThoughtChunkPacket> = agentThoughtChunk;

const userMessageChunk = object({
  _meta: nil,
  content: PacketBlock,
  /** Chunks with the same id belong to one message; a new id starts a turn. */
  messageId: string,
  sessionUpdate: literal("user_message_chunk"),
  type: literal("user_message_chunk"),
  timestamp,
});
/** Part of the user's prompt. */
export interface UserMessageChunkPacket extends Static<typeof userMessageChunk> {}
export const UserMessageChunkPacket: Schema<UserMessageChunkPacket> = userMessageChunk;

export type PacketToolKind = "search" | "read" | "execute" | "edit" | "other";
export const PacketToolKind: Schema<PacketToolKind> = oneOf("search", "read", "execute", "edit", "other");

const toolCallStart = object({
  _meta: PacketMeta,
  content: nil,
  kind: PacketToolKind,
  /** Always empty; `tool_call_progress` has the locations. */
  locations: array(LocationInfo),
  /** Always empty; `tool_call_progress` has the input. */
  rawInput: record(unknown),
  rawOutput: nil,
  status: literal("pending"),
  /** The tool's name in lower case. */
  title: string,
  toolCallId: string,
  sessionUpdate: literal("tool_call"),
  type: literal("tool_call_start"),
  timestamp,
});
export interface ToolCallStartPacket extends Static<typeof toolCallStart> {}
export const ToolCallStartPacket: Schema<ToolCallStartPacket> = toolCallStart;

const toolCallProgress = object({
  _meta: PacketMeta,
  content: nullable(array(ToolContentItem)),
  kind: PacketToolKind,
  locations: nullable(array(LocationInfo)),
  rawInput: record(unknown),
  rawOutput: nullable(record(unknown)),
  status: oneOf("in_progress", "completed", "failed"),
  /** The tool's name while the call runs; a description of what it did once it has ended. */
  title: string,
  toolCallId: string,
  sessionUpdate: literal("tool_call_update"),
  type: literal("tool_call_progress"),
  timestamp: string,
});
export interface ToolCallProgressPacket extends Static<typeof toolCallProgress> {}
export const ToolCallProgressPacket: Schema<ToolCallProgressPacket> = toolCallProgress;

const packetPlanEntry = object({
  _meta: nil,
  content: string,
  priority: oneOf("high", "medium", "low"),
  status: oneOf("pending", "in_progress", "completed"),
});
export interface PacketPlanEntry extends Static<typeof packetPlanEntry> {}
export const PacketPlanEntry: Schema<PacketPlanEntry> = packetPlanEntry;

const agentPlanUpdate = object({
  _meta: PacketMeta,
  entries: array(PacketPlanEntry),
  sessionUpdate: literal("plan"),
  type: literal("agent_plan_update"),
  timestamp: string,
});
/** Always carries the complete plan, never a change to it. */
export interface AgentPlanUpdatePacket extends Static<typeof agentPlanUpdate> {}
export const AgentPlanUpdatePacket: Schema<AgentPlanUpdatePacket> = agentPlanUpdate;

export function planPacket(
  entries: readonly Pick<PlanEntry, "content" | "priority" | "status">[],
  timestamp: string,
  meta: PacketMeta | null = null,
): AgentPlanUpdatePacket {
  return {
    _meta: meta,
    entries: entries.map(({ content, priority, status }) => ({ _meta: null, content, priority, status })),
    sessionUpdate: "plan",
    type: "agent_plan_update",
    timestamp,
  };
}

const promptResponse = object({
  /** An empty object, not null. */
  _meta: record(unknown),
  stopReason: open("end_turn", "max_tokens", "stop_sequence", "max_turn_requests", "refusal", "cancelled"),
  type: literal("prompt_response"),
  timestamp,
});
/** The turn has ended; the agent answered `session/prompt`. */
export interface PromptResponsePacket extends Static<typeof promptResponse> {}
export const PromptResponsePacket: Schema<PromptResponsePacket> = promptResponse;

const error = object({ type: literal("error"), message: string, code: optional(string), timestamp });
/** The turn has failed; `session/prompt` got an error, or the agent is gone. */
export interface ErrorPacket extends Static<typeof error> {}
export const ErrorPacket: Schema<ErrorPacket> = error;

const artifact = object({
  id: string,
  type: oneOf("file", "image", "nextjs_app", "web_app"),
  name: string,
  path: string,
  preview_url: optional(nullable(string)),
});
export interface Artifact extends Static<typeof artifact> {}
export const Artifact: Schema<Artifact> = artifact;

const artifactCreated = object({ type: literal("artifact_created"), artifact: Artifact, timestamp });
export interface ArtifactCreatedPacket extends Static<typeof artifactCreated> {}
export const ArtifactCreatedPacket: Schema<ArtifactCreatedPacket> = artifactCreated;

const permissionRequest = object({
  _meta: PacketMeta,
  content: nullable(array(ToolContentItem)),
  kind: PacketToolKind,
  locations: nullable(array(LocationInfo)),
  options: array(PermissionOption),
  rawInput: record(unknown),
  /** Identifies the request when the page sends the user's answer. */
  requestId: string,
  /** The question as text for the user. */
  title: string,
  toolCallId: string,
  type: literal("permission_request"),
  timestamp,
});
/** The agent waits for the user to choose one of the options. */
export interface PermissionRequestPacket extends Static<typeof permissionRequest> {}
export const PermissionRequestPacket: Schema<PermissionRequestPacket> = permissionRequest;

const permissionResolved = object({
  _meta: nil,
  /** Null when the request was cancelled. */
  optionId: nullable(string),
  requestId: string,
  type: literal("permission_resolved"),
  timestamp,
});
/** The permission request was answered or cancelled; the agent no longer waits. */
export interface PermissionResolvedPacket extends Static<typeof permissionResolved> {}
export const PermissionResolvedPacket: Schema<PermissionResolvedPacket> = permissionResolved;

const elicitationRequest = object({
  _meta: nil,
  /** `form`: the user fills in the fields of `requestedSchema`. `url`: the user opens `url` in a browser. */
  mode: oneOf("form", "url"),
  message: string,
  requestedSchema: nullable(ElicitationSchema),
  url: nullable(string),
  /** Identifies the request when the page sends the user's answer. */
  requestId: string,
  /** The tool call that asks, if the agent names it. */
  toolCallId: nullable(string),
  type: literal("elicitation_request"),
  timestamp,
});
/** The agent waits for the user to fill in a form, or to open an address. */
export interface ElicitationRequestPacket extends Static<typeof elicitationRequest> {}
export const ElicitationRequestPacket: Schema<ElicitationRequestPacket> = elicitationRequest;

const elicitationResolved = object({
  _meta: nil,
  action: open("accept", "decline", "cancel"),
  requestId: string,
  type: literal("elicitation_resolved"),
  timestamp,
});
/** The form was sent, declined or withdrawn; the agent no longer waits. */
export interface ElicitationResolvedPacket extends Static<typeof elicitationResolved> {}
export const ElicitationResolvedPacket: Schema<ElicitationResolvedPacket> = elicitationResolved;

const notice = object({
  _meta: nil,
  severity: NoticeSeverity,
  title: string,
  description: nullable(string),
  sessionUpdate: literal("notice"),
  type: literal("notice"),
  timestamp,
});
/** Something the user should know that is no part of the answer, such as a retry of the API. */
export interface NoticePacket extends Static<typeof notice> {}
export const NoticePacket: Schema<NoticePacket> = notice;

/** Every packet by its `type`. */
export const packets = {
  agent_message_chunk: AgentMessageChunkPacket,
  agent_thought_chunk: AgentThoughtChunkPacket,
  user_message_chunk: UserMessageChunkPacket,
  tool_call_start: ToolCallStartPacket,
  tool_call_progress: ToolCallProgressPacket,
  agent_plan_update: AgentPlanUpdatePacket,
  prompt_response: PromptResponsePacket,
  error: ErrorPacket,
  artifact_created: ArtifactCreatedPacket,
  permission_request: PermissionRequestPacket,
  permission_resolved: PermissionResolvedPacket,
  elicitation_request: ElicitationRequestPacket,
  elicitation_resolved: ElicitationResolvedPacket,
  notice: NoticePacket,
} as const satisfies Readonly<Record<string, Schema<unknown>>>;

export type Packet = Static<(typeof packets)[keyof typeof packets]>;
export const Packet: Schema<Packet> = tagged("type", packets);
