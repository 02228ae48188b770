/**
 * Stores the packets of a session, so that a page can show the session again.
 *
 * Consecutive chunks of one kind become one entry, a tool call one entry, a turn's plan
 * one entry. An entry keeps the position of its first packet, so a page built from the
 * stored packets equals the page built live from the stream.
 */
import { type PacketBlock, textBlock } from "./content.ts";
import type {
  AgentMessageChunkPacket,
  AgentThoughtChunkPacket,
  ElicitationRequestPacket,
  Packet,
  PermissionRequestPacket,
  ToolCallProgressPacket,
  ToolCallStartPacket,
  UserMessageChunkPacket,
} from "./packet.ts";
import type { StoredPacket } from "./stored-packet.ts";

export interface PacketHistoryOptions {
  /** Entries kept; the oldest are dropped first. Default: 10,000. */
  readonly maxPackets?: number | undefined;
  /** Characters of message text and tool calls kept; the oldest entries are dropped first. Default: 32 million. */
  readonly maxChars?: number | undefined;
}

/** One position in the history. `packet` is undefined while its tool call runs. */
interface HistoryEntry {
  readonly turn: number;
  readonly key: string | undefined;
  packet: StoredPacket | undefined;
  /** The packet's size in characters, counted against `maxChars`. */
  chars: number;
  /** The latest packet of a tool call that still runs. */
  running: ToolCallStartPacket | ToolCallProgressPacket | undefined;
}

type Chunk = AgentMessageChunkPacket | AgentThoughtChunkPacket | UserMessageChunkPacket;

/** Consecutive text chunks of one type, which are stored as one packet. */
interface TextRun {
  readonly entry: HistoryEntry;
  readonly first: Chunk;
  text: string;
}

/** Collects the packets of a session into the conversation that a page shows after a reload. */
export class PacketHistory {
  readonly #maxPackets: number;
  readonly #maxChars: number;
  readonly #entries: HistoryEntry[] = [];
  /** The entries of tool calls and plans, which later packets may change. */
  readonly #byKey = new Map<string, HistoryEntry>();
  /** Permission requests and forms that wait for an answer, by their type and request. */
  readonly #pending = new Map<string, PermissionRequestPacket | ElicitationRequestPacket>();
  #chars = 0;
  #turn = 0;
  #messageId: string | undefined;
  #run: TextRun | undefined;

  constructor({ maxPackets = 10_000, maxChars = 32_000_000 }: PacketHistoryOptions = {}) {
    this.#maxPackets = maxPackets;
    this.#maxChars = maxChars;
  }

  /** Everything that has ended, in order. */
  get packets(): readonly StoredPacket[] {
    return this.#entries.flatMap(({ packet }) => packet ?? []);
  }

  /** Everything that has not ended: the latest packet of each running tool call, pending permission requests and forms. */
  get running(): readonly Packet[] {
    return [...this.#entries.flatMap(({ running }) => running ?? []), ...this.#pending.values()];
  }

  add(packet: Packet): void {
    switch (packet.type) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
      case "user_message_chunk":
        return this.#addChunk(packet);
      case "tool_call_start":
      case "tool_call_progress":
        return this.#addToolCall(packet);
      case "agent_plan_update": {
        const entry = this.#entryOf(`plan ${this.#messageId ?? ""}`);
        entry.packet = { ...packet, turn_index: entry.turn };
        return;
      }
      case "prompt_response":
      case "error":
      case "artifact_created":
      case "notice":
        this.#append(undefined).packet = { ...packet, turn_index: this.#turn };
        return;
      case "permission_request":
        this.#pending.set(`permission ${packet.requestId}`, packet);
        return;
      case "permission_resolved":
        this.#pending.delete(`permission ${packet.requestId}`);
        return;
      case "elicitation_request":
        this.#pending.set(`form ${packet.requestId}`, packet);
        return;
      case "elicitation_resolved":
        this.#pending.delete(`form ${packet.requestId}`);
    }
  }

  /** Appends text to the last entry when that entry is a run of the same type; otherwise starts a new entry. */
  #addChunk(chunk: Chunk): void {
    if (chunk.type === "user_message_chunk" && chunk.messageId !== this.#messageId) {
      if (this.#messageId !== undefined) this.#turn++;
      this.#messageId = chunk.messageId;
      this.#run = undefined;
    }
    const { content } = chunk;
    const run = this.#run?.entry === this.#entries.at(-1) ? this.#run : undefined;
    if (content.type === "text" && run !== undefined && isSameSpeaker(run.first, chunk)) {
      run.text += content.text;
      const { entry, first, text } = run;
      return this.#store(entry, merged(first, textBlock(text), entry.turn), text.length);
    }
    const entry = this.#append(undefined);
    this.#store(
      entry,
      merged(chunk, content, this.#turn),
      content.type === "text" ? content.text.length : content.data.length,
    );
    this.#run = content.type === "text" ? { entry, first: chunk, text: content.text } : undefined;
  }

  #addToolCall(packet: ToolCallStartPacket | ToolCallProgressPacket): void {
    const key = `call ${packet.toolCallId}`;
    // A call that begins again under an id that was used before is another call; a recording that is played twice has such ids.
    const isAgain = packet.type === "tool_call_start" && this.#byKey.get(key)?.packet !== undefined;
    const entry = isAgain ? this.#append(key) : this.#entryOf(key);
    if (packet.status === "completed" || packet.status === "failed") {
      entry.running = undefined;
      this.#store(entry, { ...packet, turn_index: entry.turn }, JSON.stringify(packet).length);
    } else if (entry.packet === undefined) {
      entry.running = packet;
    }
  }

  #entryOf(key: string): HistoryEntry {
    return this.#byKey.get(key) ?? this.#append(key);
  }

  #append(key: string | undefined): HistoryEntry {
    const entry: HistoryEntry = { turn: this.#turn, key, packet: undefined, chars: 0, running: undefined };
    this.#entries.push(entry);
    if (key !== undefined) this.#byKey.set(key, entry);
    if (this.#entries.length > this.#maxPackets) this.#dropOldest();
    return entry;
  }

  #store(entry: HistoryEntry, packet: StoredPacket, chars: number): void {
    this.#chars += chars - entry.chars;
    entry.packet = packet;
    entry.chars = chars;
    // The newest entry stays, even when it alone exceeds the limit.
    while (this.#chars > this.#maxChars && this.#entries.length > 1) this.#dropOldest();
  }

  #dropOldest(): void {
    const oldest = this.#entries.shift();
    this.#chars -= oldest?.chars ?? 0;
    const key = oldest?.key ?? "";
    if (this.#byKey.get(key) === oldest) this.#byKey.delete(key);
  }
}

/** Whether both chunks are of one type and, where two engines answer, of one engine. */
function isSameSpeaker(first: Chunk, next: Chunk): boolean {
  return first.type === next.type && first._meta?.engine === next._meta?.engine;
}

/** A run of chunks as one stored packet with the timestamp of the first chunk. */
function merged(first: Chunk, content: PacketBlock, turn_index: number): StoredPacket {
  const time = first.timestamp === undefined ? {} : { timestamp: first.timestamp };
  switch (first.type) {
    case "agent_message_chunk":
      return {
        _meta: first._meta,
        content,
        sessionUpdate: "agent_message",
        type: "agent_message",
        ...time,
        turn_index,
      };
    case "agent_thought_chunk":
      return {
        _meta: first._meta,
        content,
        sessionUpdate: "agent_thought",
        type: "agent_thought",
        ...time,
        turn_index,
      };
    case "user_message_chunk": {
      const { messageId } = first;
      return {
        _meta: null,
        content,
        messageId,
        sessionUpdate: "user_message",
        type: "user_message",
        ...time,
        turn_index,
      };
    }
  }
}
