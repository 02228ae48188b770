/**
 * Schemas and types of the packets that `PacketHistory` stores.
 *
 * They are the packets of a stream with two differences: consecutive chunks are merged
 * into one message packet, and each packet has the index of its turn. Packets that
 * only announce a start (`tool_call_start`, permission requests) are not stored.
 */
import {
  Fault,
  integer,
  literal,
  object,
  optional,
  type Schema,
  schema,
  type Static,
  string,
  tagged,
} from "../schema/index.ts";
import { nil, PacketBlock, PacketMeta } from "./content.ts";
import {
  AgentPlanUpdatePacket,
  ArtifactCreatedPacket,
  ErrorPacket,
  NoticePacket,
  PromptResponsePacket,
  ToolCallProgressPacket,
} from "./packet.ts";

const turn = object({
  /** Zero-based index of the turn: the number of user messages before this turn's own. */
  turn_index: integer(0),
});
export interface InTurn extends Static<typeof turn> {}

const agentMessage = object({
  _meta: PacketMeta,
  content: PacketBlock,
  sessionUpdate: literal("agent_message"),
  type: literal("agent_message"),
  timestamp: optional(string),
});
export interface AgentMessagePacket extends Static<typeof agentMessage> {}
export const AgentMessagePacket: Schema<AgentMessagePacket> = agentMessage;

const agentThought = object({
  _meta: PacketMeta,
  content: PacketBlock,
  sessionUpdate: literal("agent_thought"),
  type: literal("agent_thought"),
  timestamp: optional(string),
});
export interface AgentThoughtPacket extends Static<typeof agentThought> {}
export const AgentThoughtPacket: Schema<AgentThoughtPacket> = agentThought;

const userMessage = object({
  _meta: nil,
  content: PacketBlock,
  messageId: string,
  sessionUpdate: literal("user_message"),
  type: literal("user_message"),
  timestamp: optional(string),
});
export interface UserMessagePacket extends Static<typeof userMessage> {}
export const UserMessagePacket: Schema<UserMessagePacket> = userMessage;

export type StoredPacket = InTurn &
  (
    | UserMessagePacket
    | AgentMessagePacket
    | AgentThoughtPacket
    | ToolCallProgressPacket
    | AgentPlanUpdatePacket
    | ArtifactCreatedPacket
    | PromptResponsePacket
    | ErrorPacket
    | NoticePacket
  );
export const StoredPacket: Schema<StoredPacket> = tagged("type", {
  user_message: inTurn(UserMessagePacket),
  agent_message: inTurn(AgentMessagePacket),
  agent_thought: inTurn(AgentThoughtPacket),
  tool_call_progress: inTurn(ToolCallProgressPacket),
  agent_plan_update: inTurn(AgentPlanUpdatePacket),
  artifact_created: inTurn(ArtifactCreatedPacket),
  prompt_response: inTurn(PromptResponsePacket),
  error: inTurn(ErrorPacket),
  notice: inTurn(NoticePacket),
});

function inTurn<T>(packet: Schema<T>): Schema<T & InTurn> {
  return schema(
    (value) => {
      const got = packet.read(value);
      const placed = got instanceof Fault ? got : turn.read(got);
      // Both schemas accepted the value, so it has the keys of both.
      return placed as (T & InTurn) | Fault;
    },
    () => packet.node,
  );
}
