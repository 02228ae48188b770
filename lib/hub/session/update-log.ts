/**
 * Bounded log of what a session has sent to its clients, as encoded lines.
 *
 * Entries are numbered from 1. The log keeps the newest entries up to `maxChars` and
 * drops the oldest; all clients of a session read the same strings from it. The event id
 * of an entry names this log too, so an id of another log is never mistaken for ours.
 */
import type { LogBudget } from "./log-budget.ts";

/** What a client must have advertised to get an entry. */
export type EntryNeed = "notices" | "compaction" | "boolean" | "bowline";

export interface LogEntry {
  readonly line: string;
  /** Undefined: every client gets the entry. */
  readonly need: EntryNeed | undefined;
  /** The attachment that caused the entry and does not get it: its client shows its own prompt already. */
  readonly author: symbol | undefined;
}

/** Per session, in characters of encoded lines. */
export const defaultMaxLogChars = 8 * 1024 * 1024;
/** What an entry costs besides its line. */
const entryChars = 96;

export class UpdateLog {
  /** Random, so that ids of an earlier log of the same session are recognised as foreign. */
  readonly epoch: string = crypto.randomUUID().slice(0, 8);
  readonly #maxChars: number;
  readonly #budget: LogBudget;
  readonly #followers = new Set<() => void>();
  #entries: (LogEntry | undefined)[] = [];
  /** How many entries at the start of `#entries` are dropped. Removing them one by one would be quadratic. */
  #droppedCount = 0;
  #chars = 0;
  /** The id of the entry at `#entries[0]`. */
  #firstId = 1;

  constructor(maxChars: number, budget: LogBudget) {
    this.#maxChars = maxChars;
    this.#budget = budget;
  }

  get lastId(): number {
    return this.#firstId + this.#entries.length - 1;
  }

  /** The id of the newest dropped entry; 0 while every entry is kept. */
  get droppedId(): number {
    return this.#firstId + this.#droppedCount - 1;
  }

  get chars(): number {
    return this.#chars;
  }

  /** The event id of the entry with this number, as it is sent to clients. */
  eventId(id: number): string {
    return `${this.epoch}-${id}`;
  }

  /** The number of an entry by its event id; undefined when the entries after it are not all in this log. */
  idOf(eventId: string): number | undefined {
    const [, epoch, digits] = /^([\da-f]+)-(\d{1,15})$/.exec(eventId) ?? [];
    const id = Number(digits);
    return epoch === this.epoch && id >= this.droppedId && id <= this.lastId ? id : undefined;
  }

  append(entry: LogEntry): void {
    this.#entries.push(entry);
    this.#add(entry.line.length + entryChars);
    // The newest entry stays, even when it alone exceeds the limit.
    while (this.#chars > this.#maxChars && this.dropOldest());
    this.#budget.used(this);
    for (const onAppend of this.#followers) onAppend();
  }

  /** Undefined when the entry does not exist yet or was dropped. */
  entry(id: number): LogEntry | undefined {
    return this.#entries[id - this.#firstId];
  }

  /** Drops the oldest entry, unless it is the only one. */
  dropOldest(): boolean {
    if (this.#droppedCount >= this.#entries.length - 1) return false;
    this.#add(-((this.#entries[this.#droppedCount]?.line.length ?? 0) + entryChars));
    this.#entries[this.#droppedCount++] = undefined;
    if (this.#droppedCount * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#droppedCount);
      this.#firstId += this.#droppedCount;
      this.#droppedCount = 0;
    }
    return true;
  }

  /** Calls `onAppend` after each append, until the returned function is called. */
  follow(onAppend: () => void): () => void {
    this.#followers.add(onAppend);
    return () => void this.#followers.delete(onAppend);
  }

  /** Gives the space of this log back to the budget. */
  close(): void {
    this.#followers.clear();
    this.#entries = [];
    this.#droppedCount = 0;
    this.#add(-this.#chars);
    this.#budget.remove(this);
  }

  #add(chars: number): void {
    this.#chars += chars;
    this.#budget.add(chars);
  }
}
