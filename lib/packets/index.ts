/**
 * Entry point of the packets module: a session's ACP traffic as packets for a web page.
 *
 * One `PacketStream` for a session; each call returns the packets to send now:
 * `prompt(blocks)` when a turn begins, `update(u)` for each session/update,
 * `permission(id, request)` and `permissionResolved(id, outcome)` around a question,
 * then `answered(response)` or `failed({ message, code })` at the turn's end.
 * `PacketHistory.add` takes each of them; `packets` is what to keep, `running` what a
 * page that comes in the middle needs besides. Everything is plain JSON.
 */
export type { BashOutput } from "./bash-output.ts";
export {
  ContentItem,
  DiffItem,
  LocationInfo,
  PacketBlock,
  PacketImage,
  PacketText,
  ToolContentItem,
} from "./content.ts";
export { PacketHistory, type PacketHistoryOptions } from "./packet-history.ts";
export {
  AgentMessageChunkPacket,
  AgentPlanUpdatePacket,
  AgentThoughtChunkPacket,
  Artifact,
  ArtifactCreatedPacket,
  ErrorPacket,
  Packet,
  PacketPlanEntry,
  PacketToolKind,
  PermissionRequestPacket,
  PermissionResolvedPacket,
  PromptResponsePacket,
  ToolCallProgressPacket,
  ToolCallStartPacket,
  UserMessageChunkPacket,
} from "./packet.ts";
export type { TodoItem } from "./raw-input.ts";
export type { FailedOutput, PlainOutput, TodoWriteOutput, ToolRawOutput, WriteOutput } from "./raw-output.ts";
export type { ReadOutput } from "./read-output.ts";
export {
  getFilePath,
  getPacketType,
  isNewFileOperation,
  isTaskTool,
  isTodoWriteTool,
  type PacketType,
} from "./packet-type.ts";
export type { SearchOutput } from "./search-output.ts";
export { AgentMessagePacket, AgentThoughtPacket, StoredPacket, UserMessagePacket } from "./stored-packet.ts";
export { PacketStream, type PacketStreamOptions } from "./packet-stream.ts";
