/**
 * Converts one session's ACP messages into packets.
 *
 * Each method takes one ACP message and returns the packets to send now, in order.
 * Every turn ends with exactly one `prompt_response` or `error` packet. When a turn is
 * cancelled or fails, its running tool calls are reported as failed and its permission
 * requests and forms as resolved before that packet. The only clock is `now`.
 */
import {
  type AgentMessageChunk,
  type AgentThoughtChunk,
  type ContentBlock,
  type CreateElicitationRequest,
  isFormElicitation,
  isUrlElicitation,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "../acp/index.ts";
import { packetBlock, packetMetaOf, userBlock } from "./content.ts";
import { type Packet, planPacket } from "./packet.ts";
import { strictPackets } from "./strict.ts";
import { PacketToolCalls } from "./tool-calls.ts";

export interface PacketStreamOptions {
  /** Milliseconds since 1970; fractions of a millisecond are kept. Default: the clock of the system. */
  readonly now?: (() => number) | undefined;
  /** The session's directory; titles show the paths below it as relative paths. */
  readonly cwd?: string | undefined;
  /**
   * Sends only what the original packet protocol has: seven packet types, timestamps in two
   * of them, no images, the keys it names for the input of each tool, exit codes that are numbers.
   */
  readonly isStrict?: boolean | undefined;
}

const nothing: readonly Packet[] = [];

/** Turns the messages of one session into packets, one ACP message at a time. */
export class PacketStream {
  readonly #options: PacketStreamOptions;
  readonly #calls: PacketToolCalls;
  readonly #pendingPermissions = new Set<string>();
  readonly #pendingForms = new Set<string>();
  #messageCount = 0;
  #lastMs = 0;

  constructor(options: PacketStreamOptions) {
    this.#options = options;
    this.#calls = new PacketToolCalls({ cwd: options.cwd, stamp: () => this.#stamp() });
  }

  /** The user's prompt; starts a turn. */
  prompt(blocks: readonly ContentBlock[]): readonly Packet[] {
    const messageId = `message-${++this.#messageCount}`;
    return this.#filtered(blocks.map((block) => this.#userChunk(block, messageId)));
  }

  update(update: SessionUpdate): readonly Packet[] {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
        return this.#filtered([this.#agentChunk(update)]);
      case "user_message_chunk":
        return this.#filtered([this.#userChunk(update.content, update.messageId ?? `message-${this.#messageCount}`)]);
      case "tool_call":
      case "tool_call_update":
        return this.#filtered(this.#calls.update(update));
      case "plan":
        this.#calls.planned(update.entries);
        return [planPacket(update.entries, this.#stamp(), packetMetaOf(update._meta))];
      case "notice": {
        const { severity, title, description = null, sessionUpdate } = update;
        const timestamp = this.#stamp();
        return this.#filtered([
          { _meta: null, severity, title, description, sessionUpdate, type: sessionUpdate, timestamp },
        ]);
      }
      case "available_commands_update":
      case "current_mode_update":
      case "config_option_update":
      case "session_info_update":
      case "usage_update":
      case "compaction_update":
      case "compaction_summary_chunk":
        return nothing;
    }
  }

  /** The agent asks the user for permission; `permissionResolved` is called with the same `requestId`. */
  permission(requestId: string, { toolCall, options }: RequestPermissionRequest): readonly Packet[] {
    this.#pendingPermissions.add(requestId);
    return this.#filtered([this.#calls.permission(requestId, toolCall, options)]);
  }

  /** The permission request was answered or cancelled. */
  permissionResolved(requestId: string, outcome: RequestPermissionOutcome): readonly Packet[] {
    if (!this.#pendingPermissions.delete(requestId)) return nothing;
    const optionId = outcome.outcome === "selected" ? outcome.optionId : null;
    const timestamp = this.#stamp();
    return this.#filtered([{ _meta: null, optionId, requestId, type: "permission_resolved", timestamp }]);
  }

  /** The agent asks for data by a form or an address; `elicitationResolved` is called with the same `requestId`. None for a mode that packets do not have. */
  elicitation(requestId: string, request: CreateElicitationRequest): readonly Packet[] {
    const isForm = isFormElicitation(request);
    if (!isForm && !isUrlElicitation(request)) return nothing;
    this.#pendingForms.add(requestId);
    return this.#filtered([
      {
        _meta: null,
        mode: request.mode,
        message: request.message,
        requestedSchema: isForm ? request.requestedSchema : null,
        url: isForm ? null : request.url,
        requestId,
        toolCallId: "toolCallId" in request ? (request.toolCallId ?? null) : null,
        type: "elicitation_request",
        timestamp: this.#stamp(),
      },
    ]);
  }

  /** The form was answered or withdrawn. */
  elicitationResolved(requestId: string, action: string): readonly Packet[] {
    if (!this.#pendingForms.delete(requestId)) return nothing;
    const timestamp = this.#stamp();
    return this.#filtered([{ _meta: null, action, requestId, type: "elicitation_resolved", timestamp }]);
  }

  /** The agent answered `session/prompt`; ends the turn. */
  answered({ stopReason }: { readonly stopReason: string }): readonly Packet[] {
    const closed = stopReason === "cancelled" ? this.#close("Cancelled.") : nothing;
    this.#calls.turnOver();
    const end: Packet = { _meta: {}, stopReason, type: "prompt_response", timestamp: this.#stamp() };
    return this.#filtered([...closed, end]);
  }

  /** `session/prompt` failed, or the agent is gone; ends the turn. */
  failed({ message, code }: { readonly message: string; readonly code?: string | number }): readonly Packet[] {
    const closed = this.#close("It did not run to its end.");
    this.#calls.turnOver();
    const timestamp = this.#stamp();
    const withCode = code === undefined ? {} : { code: String(code) };
    return this.#filtered([...closed, { type: "error", message, ...withCode, timestamp }]);
  }

  #agentChunk({ sessionUpdate: type, content, _meta }: AgentMessageChunk | AgentThoughtChunk): Packet {
    const chunk = { _meta: packetMetaOf(_meta), content: packetBlock(content) };
    const timestamp = this.#stamp();
    return type === "agent_message_chunk"
      ? { ...chunk, sessionUpdate: type, type, timestamp }
      : { ...chunk, sessionUpdate: type, type, timestamp };
  }

  #userChunk(block: ContentBlock, messageId: string): Packet {
    const type = "user_message_chunk";
    return { _meta: null, content: userBlock(block), messageId, sessionUpdate: type, type, timestamp: this.#stamp() };
  }

  /** Cancels the pending permission requests and forms, and marks the running tool calls as failed. */
  #close(why: string): readonly Packet[] {
    const cancelled = [...this.#pendingPermissions].flatMap((id) =>
      this.permissionResolved(id, { outcome: "cancelled" }),
    );
    const withdrawn = [...this.#pendingForms].flatMap((id) => this.elicitationResolved(id, "cancel"));
    return [...cancelled, ...withdrawn, ...this.#calls.giveUp(why)];
  }

  /** A timestamp that is never earlier than the previous one, even when the clock goes back. */
  #stamp(): string {
    this.#lastMs = Math.max(this.#lastMs, (this.#options.now ?? Date.now)() || 0);
    const micros = Math.round(this.#lastMs * 1000);
    const date = new Date(Math.floor(micros / 1000)).toISOString();
    return `${date.slice(0, -1)}${String(micros % 1000).padStart(3, "0")}+00:00`;
  }

  #filtered(packets: readonly Packet[]): readonly Packet[] {
    return this.#options.isStrict === true ? packets.flatMap(strictPackets) : packets;
  }
}
