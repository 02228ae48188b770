/**
 * Packet stream: a session's ACP traffic in, the packets of a page out.
 *
 * One stream for one session. Each call returns what is to be sent now, in order.
 * Every turn ends with exactly one prompt_response or error, and by then no tool
 * call of it that the agent has given up is left running. Holds no clock but the
 * one it is given.
 */
import type { ContentBlock, RequestPermissionOutcome, RequestPermissionRequest, SessionUpdate } from "../acp/index.ts";
import { packetBlock } from "./content.ts";
import type { Packet } from "./packet.ts";
import { planPacket } from "./plan.ts";
import { PacketToolCalls } from "./tool-calls.ts";

export interface PacketStreamOptions {
  /** Milliseconds since 1970; microseconds may stand behind the point. */
  readonly now: () => number;
  /** The session's directory; titles show paths below it without it. */
  readonly cwd?: string | undefined;
  /**
   * Nothing but the seven packets of the protocol's description, and timestamps only
   * where it has them: no thoughts, no words of the person, no permissions.
   */
  readonly isStrict?: boolean | undefined;
}

const nothing: readonly Packet[] = [];

export class PacketStream {
  readonly #options: PacketStreamOptions;
  readonly #calls: PacketToolCalls;
  readonly #asked = new Set<string>();
  #messages = 0;
  #lastMs = 0;

  constructor(options: PacketStreamOptions) {
    this.#options = options;
    this.#calls = new PacketToolCalls({ cwd: options.cwd, stamp: () => this.#stamp() });
  }

  /** The person's words, when their turn begins. */
  prompt(blocks: readonly ContentBlock[]): readonly Packet[] {
    const messageId = `message-${++this.#messages}`;
    return this.#sent(blocks.map((block) => this.#userChunk(block, messageId)));
  }

  update(update: SessionUpdate): readonly Packet[] {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
        return this.#sent([this.#agentChunk(update.sessionUpdate, update.content)]);
      case "user_message_chunk":
        return this.#sent([this.#userChunk(update.content, update.messageId ?? `message-${this.#messages}`)]);
      case "tool_call":
      case "tool_call_update":
        return this.#sent(this.#calls.update(update));
      case "plan":
        this.#calls.planned(update.entries);
        return [planPacket(update.entries, this.#stamp())];
      case "available_commands_update":
      case "current_mode_update":
      case "config_option_update":
      case "session_info_update":
      case "usage_update":
      case "notice":
      case "compaction_update":
      case "compaction_summary_chunk":
        return nothing;
    }
  }

  /** The agent asks the person; `requestId` is what the answer will name. */
  permission(requestId: string, { toolCall, options }: RequestPermissionRequest): readonly Packet[] {
    this.#asked.add(requestId);
    return this.#sent([this.#calls.permission(requestId, toolCall, options)]);
  }

  /** The question is answered or withdrawn. */
  permissionResolved(requestId: string, outcome: RequestPermissionOutcome): readonly Packet[] {
    if (!this.#asked.delete(requestId)) return nothing;
    const optionId = outcome.outcome === "selected" ? outcome.optionId : null;
    const timestamp = this.#stamp();
    return this.#sent([{ _meta: null, optionId, requestId, type: "permission_resolved", timestamp }]);
  }

  /** The turn is over. */
  answered({ stopReason }: { readonly stopReason: string }): readonly Packet[] {
    const closed = stopReason === "cancelled" ? this.#close("Cancelled.") : nothing;
    this.#calls.turnOver();
    const end: Packet = { _meta: {}, stopReason, type: "prompt_response", timestamp: this.#stamp() };
    return this.#sent([...closed, end]);
  }

  /** The turn, or the session with it, has failed. */
  failed({ message, code }: { readonly message: string; readonly code?: string | number }): readonly Packet[] {
    const closed = this.#close("It did not run to its end.");
    this.#calls.turnOver();
    const timestamp = this.#stamp();
    const named = code === undefined ? {} : { code: String(code) };
    return this.#sent([...closed, { type: "error", message, ...named, timestamp }]);
  }

  #agentChunk(type: "agent_message_chunk" | "agent_thought_chunk", block: ContentBlock): Packet {
    const chunk = { _meta: null, content: packetBlock(block) };
    const timestamp = this.#stamp();
    return type === "agent_message_chunk"
      ? { ...chunk, sessionUpdate: type, type, timestamp }
      : { ...chunk, sessionUpdate: type, type, timestamp };
  }

  #userChunk(block: ContentBlock, messageId: string): Packet {
    const type = "user_message_chunk";
    return { _meta: null, content: packetBlock(block), messageId, sessionUpdate: type, type, timestamp: this.#stamp() };
  }

  /** What waits for an answer is withdrawn, what runs is given up. */
  #close(why: string): readonly Packet[] {
    const withdrawn = [...this.#asked].flatMap((id) => this.permissionResolved(id, { outcome: "cancelled" }));
    return [...withdrawn, ...this.#calls.giveUp(why)];
  }

  /** Never earlier than the one before, whatever the clock does. */
  #stamp(): string {
    this.#lastMs = Math.max(this.#lastMs, this.#options.now() || 0);
    const micros = Math.round(this.#lastMs * 1000);
    const date = new Date(Math.floor(micros / 1000)).toISOString();
    return `${date.slice(0, -1)}${String(micros % 1000).padStart(3, "0")}+00:00`;
  }

  #sent(packets: readonly Packet[]): readonly Packet[] {
    return this.#options.isStrict === true ? packets.flatMap(strictly) : packets;
  }
}

/** A packet with the keys of its description and no others; none when it has no description. */
function strictly(packet: Packet): readonly Packet[] {
  switch (packet.type) {
    case "tool_call_progress":
    case "agent_plan_update":
      return [packet];
    case "agent_message_chunk":
    case "tool_call_start":
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
      return nothing;
  }
}
