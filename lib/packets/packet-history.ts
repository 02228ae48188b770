/**
 * History: a stream's packets in, what to keep of them out.
 *
 * Each thing has the place where it began: a run of chunks, a tool call, the plan of
 * a turn. So a page made of the stored packets is the page that the stream made.
 */
import { type PacketBlock, textBlock } from "./content.ts";
import type {
  AgentMessageChunkPacket,
  AgentThoughtChunkPacket,
  Packet,
  PermissionRequestPacket,
  ToolCallProgressPacket,
  ToolCallStartPacket,
  UserMessageChunkPacket,
} from "./packet.ts";
import type { StoredPacket } from "./stored-packet.ts";

export interface PacketHistoryOptions {
  /** The oldest are dropped beyond this many (10,000). */
  readonly maxPackets?: number | undefined;
  /** and beyond this many characters of text, changes and output (32 million). */
  readonly maxChars?: number | undefined;
}

/** A place in the history; empty while what has begun is not over. */
interface HistoryEntry {
  readonly turn: number;
  readonly key: string | undefined;
  packet: StoredPacket | undefined;
  /** How much the packet holds. */
  chars: number;
  /** A call that runs, as it was last told of. */
  running: ToolCallStartPacket | ToolCallProgressPacket | undefined;
}

type Chunk = AgentMessageChunkPacket | AgentThoughtChunkPacket | UserMessageChunkPacket;

/** Chunks of one kind, one after the other. */
interface TextRun {
  readonly place: HistoryEntry;
  readonly type: Chunk["type"];
  readonly first: Chunk;
  text: string;
}

export class PacketHistory {
  readonly #maxPackets: number;
  readonly #maxChars: number;
  readonly #places: HistoryEntry[] = [];
  /** Where the calls and plans are that may change. */
  readonly #byKey = new Map<string, HistoryEntry>();
  readonly #asked = new Map<string, PermissionRequestPacket>();
  #chars = 0;
  #turn = 0;
  #messageId: string | undefined;
  #run: TextRun | undefined;

  constructor({ maxPackets = 10_000, maxChars = 32_000_000 }: PacketHistoryOptions = {}) {
    this.#maxPackets = maxPackets;
    this.#maxChars = maxChars;
  }

  /** What is over, in order. */
  get packets(): readonly StoredPacket[] {
    return this.#places.flatMap(({ packet }) => packet ?? []);
  }

  /** What is not: calls as they were last told of, and questions that wait. */
  get running(): readonly Packet[] {
    return [...this.#places.flatMap(({ running }) => running ?? []), ...this.#asked.values()];
  }

  add(packet: Packet): void {
    switch (packet.type) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
      case "user_message_chunk":
        return this.#chunk(packet);
      case "tool_call_start":
      case "tool_call_progress":
        return this.#call(packet);
      case "agent_plan_update": {
        const place = this.#placeOf(`plan ${this.#messageId ?? ""}`);
        place.packet = { ...packet, turn_index: place.turn };
        return;
      }
      case "prompt_response":
      case "error":
      case "artifact_created":
        this.#place(undefined).packet = { ...packet, turn_index: this.#turn };
        return;
      case "permission_request":
        this.#asked.set(packet.requestId, packet);
        return;
      case "permission_resolved":
        this.#asked.delete(packet.requestId);
    }
  }

  /** Text goes on where text of its kind was the last thing that came. */
  #chunk(chunk: Chunk): void {
    if (chunk.type === "user_message_chunk" && chunk.messageId !== this.#messageId) {
      if (this.#messageId !== undefined) this.#turn++;
      this.#messageId = chunk.messageId;
      this.#run = undefined;
    }
    const { content } = chunk;
    if (content.type === "text" && this.#run?.type === chunk.type && this.#run.place === this.#places.at(-1)) {
      this.#run.text += content.text;
      const { place, first, text } = this.#run;
      return this.#keep(place, merged(first, textBlock(text), place.turn), text.length);
    }
    const place = this.#place(undefined);
    this.#keep(
      place,
      merged(chunk, content, this.#turn),
      content.type === "text" ? content.text.length : content.data.length,
    );
    this.#run = content.type === "text" ? { place, type: chunk.type, first: chunk, text: content.text } : undefined;
  }

  #call(packet: ToolCallStartPacket | ToolCallProgressPacket): void {
    const place = this.#placeOf(`call ${packet.toolCallId}`);
    if (packet.status === "completed" || packet.status === "failed") {
      place.running = undefined;
      this.#keep(place, { ...packet, turn_index: place.turn }, JSON.stringify(packet).length);
    } else if (place.packet === undefined) {
      place.running = packet;
    }
  }

  #placeOf(key: string): HistoryEntry {
    return this.#byKey.get(key) ?? this.#place(key);
  }

  #place(key: string | undefined): HistoryEntry {
    const place: HistoryEntry = { turn: this.#turn, key, packet: undefined, chars: 0, running: undefined };
    this.#places.push(place);
    if (key !== undefined) this.#byKey.set(key, place);
    if (this.#places.length > this.#maxPackets) this.#dropOldest();
    return place;
  }

  #keep(place: HistoryEntry, packet: StoredPacket, chars: number): void {
    this.#chars += chars - place.chars;
    place.packet = packet;
    place.chars = chars;
    // The newest stays, however much it holds.
    while (this.#chars > this.#maxChars && this.#places.length > 1) this.#dropOldest();
  }

  #dropOldest(): void {
    const oldest = this.#places.shift();
    this.#chars -= oldest?.chars ?? 0;
    this.#byKey.delete(oldest?.key ?? "");
  }
}

/** A run of chunks as one packet, at the time of its first. */
function merged(first: Chunk, content: PacketBlock, turn_index: number): StoredPacket {
  const time = first.timestamp === undefined ? {} : { timestamp: first.timestamp };
  switch (first.type) {
    case "agent_message_chunk":
      return { _meta: null, content, sessionUpdate: "agent_message", type: "agent_message", ...time, turn_index };
    case "agent_thought_chunk":
      return { _meta: null, content, sessionUpdate: "agent_thought", type: "agent_thought", ...time, turn_index };
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
