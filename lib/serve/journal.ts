/**
 * Journal: what happened in a session, numbered from 1.
 *
 * Keeps the newest events up to a cap and forgets the oldest, so that a reader can
 * come back to where it was, while one that stays away cannot make us grow.
 */

/** For each session. */
const defaultMaxJournalChars = 8 * 1024 * 1024;

export class Journal {
  readonly #maxChars: number;
  readonly #followers = new Set<() => void>();
  #events: string[] = [];
  /** How many of `#events` are forgotten already. Shifting them out one by one is quadratic. */
  #gone = 0;
  #chars = 0;
  /** The id of the event at `#events[0]`. */
  #firstId = 1;
  #isClosed = false;

  constructor(maxChars = defaultMaxJournalChars) {
    this.#maxChars = maxChars;
  }

  /** Nothing more will happen. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  get followerCount(): number {
    return this.#followers.size;
  }

  get lastId(): number {
    return this.#firstId + this.#events.length - 1;
  }

  /** The last event that is no longer kept; 0 while all are. */
  get forgottenId(): number {
    return this.#firstId + this.#gone - 1;
  }

  /** Gives back the event's id. */
  append(event: string): number {
    this.#events.push(event);
    this.#chars += event.length;
    // The newest stays, however long it is.
    while (this.#chars > this.#maxChars && this.#gone < this.#events.length - 1) {
      this.#chars -= this.#events[this.#gone]?.length ?? 0;
      this.#events[this.#gone++] = "";
    }
    if (this.#gone * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#gone);
      this.#firstId += this.#gone;
      this.#gone = 0;
    }
    const id = this.lastId;
    for (const tell of this.#followers) tell();
    return id;
  }

  /** Undefined when it has not happened yet, or is forgotten. */
  read(id: number): string | undefined {
    return id > this.forgottenId ? this.#events[id - this.#firstId] : undefined;
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
