/**
 * Bounded log of the packets of one session, numbered from 1, for the web page and HTTP
 * programs. ACP clients read lib/hub/session/update-log.ts instead.
 *
 * Keeps the newest events up to `maxBytes` and drops the oldest, so a subscriber can
 * reconnect and continue after its last event. Each event is encoded once, as a
 * server-sent event; all subscribers send the same buffer.
 */
import { eventFrame } from "./event-stream.ts";

/** Per session, counted in encoded bytes. */
const defaultMaxLogBytes = 8 * 1024 * 1024;
const dropped = Buffer.alloc(0);

export class EventLog {
  readonly #maxBytes: number;
  readonly #followers = new Set<() => void>();
  #frames: Buffer[] = [];
  /** How many entries at the start of `#frames` are dropped. Removing them one by one would be quadratic. */
  #droppedCount = 0;
  #bytes = 0;
  /** The id of the event at `#frames[0]`. */
  #firstId = 1;
  #isClosed = false;

  constructor(maxBytes = defaultMaxLogBytes) {
    this.#maxBytes = maxBytes;
  }

  /** True when no more events will be appended. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  get followerCount(): number {
    return this.#followers.size;
  }

  get lastId(): number {
    return this.#firstId + this.#frames.length - 1;
  }

  /** The id of the newest dropped event; 0 while every event is kept. */
  get droppedId(): number {
    return this.#firstId + this.#droppedCount - 1;
  }

  /** `json` is one line, as `JSON.stringify` writes it. Returns the event's id. */
  append(json: string): number {
    const frame = Buffer.from(eventFrame(this.lastId + 1, json));
    this.#frames.push(frame);
    this.#bytes += frame.length;
    // The newest event stays, even when it alone exceeds the limit.
    while (this.#bytes > this.#maxBytes && this.#droppedCount < this.#frames.length - 1) {
      this.#bytes -= this.#frames[this.#droppedCount]?.length ?? 0;
      this.#frames[this.#droppedCount++] = dropped;
    }
    if (this.#droppedCount * 2 > this.#frames.length) {
      this.#frames = this.#frames.slice(this.#droppedCount);
      this.#firstId += this.#droppedCount;
      this.#droppedCount = 0;
    }
    const id = this.lastId;
    for (const onChange of this.#followers) onChange();
    return id;
  }

  /** The encoded event. Undefined when it does not exist yet or was dropped. */
  frame(id: number): Buffer | undefined {
    return id > this.droppedId ? this.#frames[id - this.#firstId] : undefined;
  }

  /** Drops every event and skips one id, so that each follower finds that it has missed events. */
  clear(): void {
    this.#firstId = this.lastId + 2;
    this.#frames = [];
    this.#droppedCount = 0;
    this.#bytes = 0;
    for (const onChange of this.#followers) onChange();
  }

  close(): void {
    this.#isClosed = true;
    for (const onChange of this.#followers) onChange();
  }

  /** Calls `onChange` after each append and after `close`, until the returned function is called. */
  follow(onChange: () => void): () => void {
    this.#followers.add(onChange);
    return () => void this.#followers.delete(onChange);
  }
}
