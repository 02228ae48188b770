/**
 * Journal: what happened in a session, numbered from 1.
 *
 * Keeps the newest events up to a cap and forgets the oldest, so that a reader can
 * come back to where it was, while one that stays away cannot make us grow. Each event
 * is encoded once, as the frame of a stream: all readers send the same buffer.
 */
import { eventFrame } from "./event-stream.ts";

/** For each session, in bytes of frames. */
const defaultMaxJournalBytes = 8 * 1024 * 1024;
const forgotten = Buffer.alloc(0);

export class EventLog {
  readonly #maxBytes: number;
  readonly #followers = new Set<() => void>();
  #frames: Buffer[] = [];
  /** How many of `#frames` are forgotten already. Shifting them out one by one is quadratic. */
  #gone = 0;
  #bytes = 0;
  /** The id of the event at `#frames[0]`. */
  #firstId = 1;
  #isClosed = false;

  constructor(maxBytes = defaultMaxJournalBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Nothing more will happen. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  get followerCount(): number {
    return this.#followers.size;
  }

  get lastId(): number {
    return this.#firstId + this.#frames.length - 1;
  }

  /** The last event that is no longer kept; 0 while all are. */
  get forgottenId(): number {
    return this.#firstId + this.#gone - 1;
  }

  /** `json` is one line, as `JSON.stringify` writes it. Gives back the event's id. */
  append(json: string): number {
    const frame = Buffer.from(eventFrame(this.lastId + 1, json));
    this.#frames.push(frame);
    this.#bytes += frame.length;
    // The newest stays, however long it is.
    while (this.#bytes > this.#maxBytes && this.#gone < this.#frames.length - 1) {
      this.#bytes -= this.#frames[this.#gone]?.length ?? 0;
      this.#frames[this.#gone++] = forgotten;
    }
    if (this.#gone * 2 > this.#frames.length) {
      this.#frames = this.#frames.slice(this.#gone);
      this.#firstId += this.#gone;
      this.#gone = 0;
    }
    const id = this.lastId;
    for (const tell of this.#followers) tell();
    return id;
  }

  /** The event as a stream sends it. Undefined when it has not happened yet, or is forgotten. */
  frame(id: number): Buffer | undefined {
    return id > this.forgottenId ? this.#frames[id - this.#firstId] : undefined;
  }

  close(): void {
    this.#isClosed = true;
    for (const tell of this.#followers) tell();
  }

  /** Calls `tell` when something happened, until the function it gives back is called. */
  follow(tell: () => void): () => void {
    this.#followers.add(tell);
    return () => void this.#followers.delete(tell);
  }
}
