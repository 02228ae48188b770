/**
 * Reader: one response that follows a journal.
 *
 * Holds a place in the journal and no queue of its own: at most `maxUnsentBytes` of the
 * journal's own buffer are given to the socket before it has sent what it was given
 * before. A reader that reads nothing for a minute is cut off, and so is one whose
 * events are forgotten or whose buffer exceeds what all readers may hold. It may come
 * back and say how far it came.
 */
import type { ServerResponse } from "node:http";
import type { Schedule } from "../wire/index.ts";
import { keepalive, streamHeaders } from "./event-stream.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { EventLog } from "./event-log.ts";

/** The part of a journal that is read. It may become known later: a turn that waits has no place yet. */
export interface EventRange {
  /** The last event before it. */
  readonly afterId: number | undefined;
  /** Its last event; undefined while it goes on. */
  readonly untilId: number | undefined;
}

/** How long nothing is said before a sign of life. */
const keepaliveMs = 15_000;
/** How long one may lag without reading anything. */
const maxLagMs = 60_000;
/** How much of an event is given to a socket at once; the rest follows when the socket has sent it. */
const maxUnsentBytes = 256 * 1024;

export interface ReaderOptions {
  readonly after: Schedule;
  readonly held: HeldBytes;
}

export class EventSubscriber {
  readonly #response: ServerResponse;
  readonly #log: EventLog;
  readonly #range: EventRange;
  readonly #after: Schedule;
  readonly #held: HeldBytes;
  readonly #unfollow: () => void;
  /** The last event that was given to the socket, in part or whole. */
  #readId: number | undefined;
  /** That event, and how much of it the socket was given. */
  #frame: Buffer | undefined;
  #givenBytes = 0;
  #isLagging = false;
  #cancelTimer = (): void => {};
  #release = (): void => {};

  constructor(response: ServerResponse, journal: EventLog, range: EventRange, { after, held }: ReaderOptions) {
    this.#response = response;
    this.#log = journal;
    this.#range = range;
    this.#after = after;
    this.#held = held;
    this.#unfollow = journal.follow(() => this.#pump());
    if (response.destroyed) {
      this.#unfollow();
      return;
    }
    response.writeHead(200, streamHeaders);
    response.flushHeaders();
    response.on("drain", () => {
      this.#isLagging = false;
      this.#release();
      this.#rest();
      this.#pump();
    });
    response.once("close", () => {
      this.#unfollow();
      this.#cancelTimer();
      this.#release();
    });
    this.#rest();
    this.#pump();
  }

  #pump(): void {
    if (this.#isLagging || this.#response.writableEnded) return;
    this.#readId ??= this.#range.afterId;
    if (this.#readId === undefined) return this.#endIfClosed();
    this.#writeFrame();
    if (this.#isLagging) return;
    // What it missed is forgotten; a gap must not look like a whole.
    if (this.#readId < this.#log.forgottenId) return this.#cut();
    for (;;) {
      const { untilId = Infinity } = this.#range;
      if (this.#readId >= untilId) return this.#end();
      const frame = this.#log.frame(this.#readId + 1);
      if (frame === undefined) return this.#endIfClosed();
      this.#readId++;
      this.#frame = frame;
      this.#writeFrame();
      if (this.#isLagging) return;
    }
  }

  /** Gives the socket what it takes of the event it was given in part. */
  #writeFrame(): void {
    const frame = this.#frame;
    while (frame !== undefined && this.#frame === frame && !this.#isLagging) {
      const part = frame.subarray(this.#givenBytes, this.#givenBytes + maxUnsentBytes);
      this.#givenBytes += part.length;
      if (this.#givenBytes === frame.length) {
        this.#frame = undefined;
        this.#givenBytes = 0;
      }
      this.#write(part);
      // Its part keeps the whole buffer in memory, also when the journal forgets it.
      if (this.#isLagging) this.#release = this.#held.hold(frame, () => this.#cut());
    }
  }

  #write(bytes: Buffer | string): void {
    this.#isLagging = !this.#response.write(bytes);
    this.#rest();
  }

  /** Until something is said: a sign of life, or the end of one that does not read. */
  #rest(): void {
    this.#cancelTimer();
    if (this.#response.closed) return;
    this.#cancelTimer = this.#isLagging
      ? this.#after(maxLagMs, () => this.#cut())
      : this.#after(keepaliveMs, () => this.#write(keepalive));
  }

  #endIfClosed(): void {
    if (this.#log.isClosed) this.#end();
  }

  #end(): void {
    this.#unfollow();
    this.#response.end();
    this.#isLagging = true;
    this.#rest();
  }

  #cut(): void {
    this.#unfollow();
    this.#response.destroy();
  }
}
