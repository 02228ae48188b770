/**
 * A minimal model of a page that renders packets, live or stored.
 *
 * Consecutive texts are joined, a tool call stays where it began, and a turn's plan
 * stays where its first version appeared.
 */
import { isRecord } from "../../../lib/schema/index.ts";
import type { Packet, PacketBlock, StoredPacket } from "../../../lib/packets/index.ts";

export type PageItem =
  | { readonly shows: "user" | "agent" | "thought"; block: PacketBlock; readonly of: string }
  | { readonly shows: "call"; readonly of: string; call: unknown }
  | { readonly shows: "plan"; readonly of: string; entries: unknown }
  | { readonly shows: "artifact" | "end" | "error" | "notice"; readonly packet: unknown };

/** The page that live packets build. */
export function livePage(packets: readonly Packet[]): readonly PageItem[] {
  const page: PageItem[] = [];
  let message = "";
  const find = (shows: "call" | "plan", of: string): PageItem | undefined =>
    page.find((item) => item.shows === shows && item.of === of);
  for (const packet of packets) {
    switch (packet.type) {
      case "user_message_chunk":
      case "agent_message_chunk":
      case "agent_thought_chunk": {
        const shows = shownAs(packet.type);
        const of = packet.type === "user_message_chunk" ? packet.messageId : "";
        if (shows === "user") message = of;
        const last = page.at(-1);
        if (last?.shows === shows && last.of === of && last.block.type === "text" && packet.content.type === "text") {
          last.block = { ...last.block, text: last.block.text + packet.content.text };
        } else {
          page.push({ shows, block: packet.content, of });
        }
        break;
      }
      case "tool_call_start":
      case "tool_call_progress": {
        const { timestamp: _, ...call } = packet;
        const before = page.findLast((item) => item.shows === "call" && item.of === packet.toolCallId);
        // A call that begins again after its end is another call.
        const isAgain = packet.type === "tool_call_start" && isEnded(before);
        if (before?.shows === "call" && !isAgain) before.call = call;
        else page.push({ shows: "call", of: packet.toolCallId, call });
        break;
      }
      case "agent_plan_update": {
        const before = find("plan", message);
        if (before?.shows === "plan") before.entries = packet.entries;
        else page.push({ shows: "plan", of: message, entries: packet.entries });
        break;
      }
      case "artifact_created":
        page.push({ shows: "artifact", packet: packet.artifact });
        break;
      case "prompt_response":
        page.push({ shows: "end", packet: packet.stopReason });
        break;
      case "error":
        page.push({ shows: "error", packet: [packet.message, packet.code] });
        break;
      case "notice":
        page.push({ shows: "notice", packet: [packet.severity, packet.title, packet.description] });
        break;
      case "permission_request":
      case "permission_resolved":
      case "elicitation_request":
      case "elicitation_resolved":
        break;
    }
  }
  return page;
}

/** The page that stored packets build. */
export function storedPage(packets: readonly StoredPacket[]): readonly PageItem[] {
  let message = "";
  return packets.map((packet): PageItem => {
    switch (packet.type) {
      case "user_message":
        message = packet.messageId;
        return { shows: "user", block: packet.content, of: message };
      case "agent_message":
        return { shows: "agent", block: packet.content, of: "" };
      case "agent_thought":
        return { shows: "thought", block: packet.content, of: "" };
      case "tool_call_progress": {
        const { timestamp: _, turn_index: _turn, ...call } = packet;
        return { shows: "call", of: packet.toolCallId, call };
      }
      case "agent_plan_update":
        return { shows: "plan", of: message, entries: packet.entries };
      case "artifact_created":
        return { shows: "artifact", packet: packet.artifact };
      case "prompt_response":
        return { shows: "end", packet: packet.stopReason };
      case "error":
        return { shows: "error", packet: [packet.message, packet.code] };
      case "notice":
        return { shows: "notice", packet: [packet.severity, packet.title, packet.description] };
    }
  });
}

const shown = { user_message_chunk: "user", agent_message_chunk: "agent", agent_thought_chunk: "thought" } as const;

function shownAs(type: keyof typeof shown): "user" | "agent" | "thought" {
  return shown[type];
}

function isEnded(item: PageItem | undefined): boolean {
  const status = item?.shows === "call" && isRecord(item.call) ? item.call["status"] : undefined;
  return status === "completed" || status === "failed";
}
