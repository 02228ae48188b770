/**
 * Reduces packets to the original packet protocol, for readers that accept nothing else:
 * its seven types, its keys also inside `rawInput`, text instead of images, a number as
 * every exit code.
 */
import { type Fields, isRecord } from "../schema/index.ts";
import { type PacketBlock, textBlock, type ToolContentItem } from "./content.ts";
import type { Packet, ToolCallProgressPacket } from "./packet.ts";

/** The packet as the original protocol has it; none when that protocol lacks its type. */
export function strictPackets(packet: Packet): readonly Packet[] {
  switch (packet.type) {
    case "tool_call_progress":
      // The protocol has no output before the end.
      return packet.status === "in_progress" && packet.content !== null ? [] : [strictProgress(packet)];
    case "agent_plan_update":
      return [{ ...packet, _meta: null }];
    case "agent_message_chunk": {
      const { timestamp: _, ...rest } = packet;
      return [{ ...rest, _meta: null, content: strictBlock(packet.content) }];
    }
    case "tool_call_start": {
      const { timestamp: _, ...rest } = packet;
      return [{ ...rest, _meta: null }];
    }
    case "prompt_response":
    case "error":
    case "artifact_created": {
      const { timestamp: _, ...rest } = packet;
      return [rest];
    }
    case "agent_thought_chunk":
    case "user_message_chunk":
    case "permission_request":
    case "permission_resolved":
    case "elicitation_request":
    case "elicitation_resolved":
    case "notice":
      return [];
  }
}

function strictProgress(packet: ToolCallProgressPacket): ToolCallProgressPacket {
  const { content, rawInput, rawOutput, kind, status } = packet;
  return {
    ...packet,
    _meta: null,
    content: content && content.map(strictItem),
    rawInput: strictInput(kind, rawInput),
    rawOutput: rawOutput && strictOutput(rawOutput, status === "failed"),
  };
}

function strictItem(item: ToolContentItem): ToolContentItem {
  return item.type === "content" ? { ...item, content: strictBlock(item.content) } : item;
}

function strictBlock(block: PacketBlock): PacketBlock {
  return block.type === "image" ? textBlock(`(image, ${block.mimeType})`) : block;
}

/** The input with the keys that the protocol names for this tool. A tool that it does not name keeps its own. */
function strictInput(kind: ToolCallProgressPacket["kind"], input: Fields): Fields {
  const { pattern, path, filePath, command, description, content, new_source, edits, todos, subagent_type } = input;
  switch (kind) {
    case "search":
      if (pattern === undefined && path === undefined) return input;
      return { pattern: pattern ?? "", ...(path !== undefined && { path }) };
    case "read":
      return filePath === undefined ? input : { filePath };
    case "execute":
      return command === undefined ? input : { command, description: description ?? "" };
    case "edit": {
      if (filePath === undefined) return input;
      const text = content ?? new_source;
      if (text !== undefined) return { filePath, content: text };
      return { filePath, ...(Array.isArray(edits) ? joined(edits.filter(isRecord)) : replacement(input)) };
    }
    case "other":
      if (Array.isArray(todos)) return { todos };
      return subagent_type === undefined ? input : { prompt: input["prompt"] ?? "", description, subagent_type };
  }
}

/** The protocol knows one replacement for each call. */
function joined(edits: readonly Fields[]): Fields {
  const all = edits.map(replacement);
  const lines = (key: "old_string" | "new_string"): string => all.map((one) => one[key]).join("\n");
  return { old_string: lines("old_string"), new_string: lines("new_string") };
}

function replacement({ old_string, new_string }: Fields): {
  readonly old_string: unknown;
  readonly new_string: unknown;
} {
  return { old_string: old_string ?? "", new_string: new_string ?? "" };
}

/** A command without an exit code was stopped, or continues in the background. */
function strictOutput(output: Fields, isFailed: boolean): Fields {
  const { metadata } = output;
  if (!isRecord(metadata) || !("exit" in metadata) || typeof metadata["exit"] === "number") return output;
  return { ...output, metadata: { ...metadata, exit: isFailed ? 1 : 0 } };
}
