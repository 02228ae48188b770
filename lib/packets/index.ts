/**
 * Public names of the packets module, which turns a session's ACP traffic into
 * packets: JSON objects that a web page renders.
 *
 * `PacketStream` (one per session) returns the packets to send after each ACP message.
 * `PacketHistory` stores packets, so that a page that opens later can show the session.
 * Runs in browsers too: imports no module of Node.
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
  ElicitationRequestPacket,
  ElicitationResolvedPacket,
  ErrorPacket,
  NoticePacket,
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
export { strictPackets } from "./strict.ts";
export { PacketStream, type PacketStreamOptions } from "./packet-stream.ts";
