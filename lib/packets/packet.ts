/**
 * Packets: one event of a session each, as a web page reads them.
 *
 * A closed union told apart by `type`. The key set of each packet is closed too:
 * what is not known is null, and only what this file names is ever sent.
 */
import { PermissionOption } from "../acp/index.ts";
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
import { LocationInfo, nil, PacketBlock, ToolContentItem } from "./content.ts";

/** A strict stream has it only where the packet's description does. */
const timestamp = optional(string);

const agentMessageChunk = object({
  _meta: nil,
  content: PacketBlock,
  sessionUpdate: literal("agent_message_chunk"),
  type: literal("agent_message_chunk"),
  timestamp,
});
export interface AgentMessageChunkPacket extends Static<typeof agentMessageChunk> {}
export const AgentMessageChunkPacket: Schema<AgentMessageChunkPacket> = agentMessageChunk;

const agentThoughtChunk = object({
  _meta: nil,
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
  /** Chunks that have it in common are one message; a new one begins a turn. */
  messageId: string,
  sessionUpdate: literal("user_message_chunk"),
  type: literal("user_message_chunk"),
  timestamp,
});
/** What the person said. */
export interface UserMessageChunkPacket extends Static<typeof userMessageChunk> {}
export const UserMessageChunkPacket: Schema<UserMessageChunkPacket> = userMessageChunk;

export type PacketToolKind = "search" | "read" | "execute" | "edit" | "other";
export const PacketToolKind: Schema<PacketToolKind> = oneOf("search", "read", "execute", "edit", "other");

const toolCallStart = object({
  _meta: nil,
  content: nil,
  kind: PacketToolKind,
  /** Always empty here. */
  locations: array(LocationInfo),
  /** Always empty here. */
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
  _meta: nil,
  content: nullable(array(ToolContentItem)),
  kind: PacketToolKind,
  locations: nullable(array(LocationInfo)),
  rawInput: record(unknown),
  rawOutput: nullable(record(unknown)),
  status: oneOf("in_progress", "completed", "failed"),
  /** The tool's name while it runs; what it did once it is over. */
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
  _meta: nil,
  entries: array(PacketPlanEntry),
  sessionUpdate: literal("plan"),
  type: literal("agent_plan_update"),
  timestamp: string,
});
/** The whole plan, each time. */
export interface AgentPlanUpdatePacket extends Static<typeof agentPlanUpdate> {}
export const AgentPlanUpdatePacket: Schema<AgentPlanUpdatePacket> = agentPlanUpdate;

const promptResponse = object({
  /** An empty object, not null. */
  _meta: record(unknown),
  stopReason: open("end_turn", "max_tokens", "stop_sequence", "max_turn_requests", "refusal", "cancelled"),
  type: literal("prompt_response"),
  timestamp,
});
/** The turn is over. */
export interface PromptResponsePacket extends Static<typeof promptResponse> {}
export const PromptResponsePacket: Schema<PromptResponsePacket> = promptResponse;

const error = object({ type: literal("error"), message: string, code: optional(string), timestamp });
/** The turn has failed. */
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
  _meta: nil,
  content: nullable(array(ToolContentItem)),
  kind: PacketToolKind,
  locations: nullable(array(LocationInfo)),
  options: array(PermissionOption),
  rawInput: record(unknown),
  /** What the answer is given to. */
  requestId: string,
  /** What is asked, in words for a person. */
  title: string,
  toolCallId: string,
  type: literal("permission_request"),
  timestamp,
});
/** The agent waits for the person to choose one of the options. */
export interface PermissionRequestPacket extends Static<typeof permissionRequest> {}
export const PermissionRequestPacket: Schema<PermissionRequestPacket> = permissionRequest;

const permissionResolved = object({
  _meta: nil,
  /** Null when the question was withdrawn. */
  optionId: nullable(string),
  requestId: string,
  type: literal("permission_resolved"),
  timestamp,
});
/** It waits no longer. */
export interface PermissionResolvedPacket extends Static<typeof permissionResolved> {}
export const PermissionResolvedPacket: Schema<PermissionResolvedPacket> = permissionResolved;

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
} as const satisfies Readonly<Record<string, Schema<unknown>>>;

export type Packet = Static<(typeof packets)[keyof typeof packets]>;
export const Packet: Schema<Packet> = tagged("type", packets);
