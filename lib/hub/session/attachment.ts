/**
 * One client's place in one session's update log.
 *
 * Keeps the number of the last entry that was sent, and no queue: entries wait in the log, which
 * all clients share. So a slow client needs no memory of its own and delays no other client. A
 * client is disconnected when the log no longer has the entry it needs next, or when it has
 * read nothing for `maxStallMs`.
 */
import { canShow, type ClientCapabilities, ConfigOptionUpdate } from "../../acp/index.ts";
import { Fault, isRecord } from "../../schema/index.ts";
import type { Schedule } from "../../wire/index.ts";
import type { EntryNeed, LogEntry, UpdateLog } from "./update-log.ts";

/** How long a client may read nothing while entries wait for it. */
const maxStallMs = 60_000;

/** The part of a client that sends lines to it. */
export interface LineReceiver {
  readonly isOpen: boolean;
  readonly capabilities: ClientCapabilities;
  /** Whether the client understands the notifications of `_bowline/`. */
  readonly isBowline: boolean;
  /** Returns false when the client lags; then `whenWritable` resolves when it has caught up. */
  readonly sendLine: (line: string) => boolean;
  readonly whenWritable: () => Promise<void>;
  /** Ends the connection of a client that does not read. */
  readonly drop: (why: string) => void;
}

export interface AttachmentOptions {
  readonly log: UpdateLog;
  readonly client: LineReceiver;
  /** The client has all entries up to this one. */
  readonly afterId: number;
  readonly after: Schedule;
  /** Nothing is sent before `release` is called. */
  readonly startsPaused?: boolean | undefined;
}

export class Attachment {
  /** Names this attachment as the author of entries. */
  readonly key = Symbol("attachment");
  readonly #client: LineReceiver;
  readonly #after: Schedule;
  #log: UpdateLog;
  #sentId: number;
  #unfollow: () => void;
  #isPaused: boolean;
  #isLagging = false;
  #isEnded = false;
  #waiting: { readonly id: number; readonly resolve: () => void }[] = [];

  constructor({ log, client, afterId, after, startsPaused = false }: AttachmentOptions) {
    this.#log = log;
    this.#client = client;
    this.#after = after;
    this.#sentId = afterId;
    this.#isPaused = startsPaused;
    this.#unfollow = log.follow(() => this.#pump());
    this.#pump();
  }

  /** The number of the last entry that the client was sent, or that it had when it was attached. */
  get sentId(): number {
    return this.#sentId;
  }

  /** Whether entries wait here because the client does not take them now. */
  get isLagging(): boolean {
    return this.#isLagging || this.#isPaused;
  }

  /** Starts sending. */
  release(): void {
    this.#isPaused = false;
    this.#pump();
  }

  /** Resolves when the client has been sent every entry that is in the log now, or is gone. */
  caughtUp(): Promise<void> {
    const id = this.#log.lastId;
    if (this.#isEnded || this.#sentId >= id) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ id, resolve }));
  }

  /** Continues in another log, after its last entry. */
  moveTo(log: UpdateLog): void {
    this.#unfollow();
    this.#log = log;
    this.#sentId = log.lastId;
    this.#unfollow = this.#isEnded ? () => {} : log.follow(() => this.#pump());
    this.#settle();
  }

  end(): void {
    this.#isEnded = true;
    this.#unfollow();
    this.#settle();
  }

  #pump(): void {
    if (this.#sentId < this.#log.droppedId) return this.#drop();
    while (!this.#isPaused && !this.#isLagging && !this.#isEnded && this.#sentId < this.#log.lastId) {
      const entry = this.#log.entry(++this.#sentId);
      const line = entry === undefined ? undefined : this.#lineOf(entry);
      if (line !== undefined && !this.#client.sendLine(line)) this.#wait();
    }
    if (this.#waiting.length > 0) this.#settle();
  }

  /** The line as this client gets it; undefined when it does not get it. */
  #lineOf({ line, need, author }: LogEntry): string | undefined {
    if (author === this.key) return undefined;
    if (need === undefined || isMet(need, this.#client)) return line;
    return need === "boolean" ? withoutHidden(line, this.#client.capabilities) : undefined;
  }

  #wait(): void {
    if (!this.#client.isOpen) return this.end();
    this.#isLagging = true;
    const cancel = this.#after(maxStallMs, () => this.#drop());
    this.#client.whenWritable().then(
      () => {
        cancel();
        this.#isLagging = false;
        this.#pump();
      },
      () => {
        cancel();
        this.end();
      },
    );
  }

  #drop(): void {
    if (this.#isEnded) return;
    this.end();
    this.#client.drop("the client does not read");
  }

  #settle(): void {
    this.#waiting = this.#waiting.filter(({ id, resolve }) => {
      if (!this.#isEnded && this.#sentId < id && id <= this.#log.lastId) return true;
      resolve();
      return false;
    });
  }
}

function isMet(need: EntryNeed, { capabilities, isBowline }: LineReceiver): boolean {
  switch (need) {
    case "notices":
      return capabilities.session?.notices != null;
    case "compaction":
      return capabilities.session?.compaction != null;
    case "boolean":
      return capabilities.session?.configOptions?.boolean != null;
    case "bowline":
      return isBowline;
  }
}

/** A `config_option_update` without the options that the client cannot show. */
function withoutHidden(line: string, capabilities: ClientCapabilities): string | undefined {
  const message: unknown = JSON.parse(line);
  const params = isRecord(message) ? message["params"] : undefined;
  const update = isRecord(params) ? ConfigOptionUpdate.read(params["update"]) : undefined;
  if (!isRecord(message) || !isRecord(params) || update === undefined || update instanceof Fault) return undefined;
  const configOptions = update.configOptions.filter((option) => canShow(capabilities, option));
  return JSON.stringify({ ...message, params: { ...params, update: { ...update, configOptions } } });
}
