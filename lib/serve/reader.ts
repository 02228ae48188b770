/**
 * Reader: one response that follows a journal.
 *
 * Holds a place in the journal and no queue of its own: one that reads slowly is
 * written to when it has caught up, and one that does not is cut off. It may come
 * back and say how far it came.
 */
import type { ServerResponse } from "node:http";
import type { After } from "../wire/index.ts";
import { eventFrame, keepalive, streamHeaders } from "./event-stream.ts";
import type { Journal } from "./journal.ts";

/** The part of a journal that is read. It may become known later: a turn that waits has no place yet. */
export interface Stretch {
  /** The last event before it. */
  readonly afterId: number | undefined;
  /** Its last event; undefined while it goes on. */
  readonly untilId: number | undefined;
}

/** How long nothing is said before a sign of life. */
const keepaliveMs = 15_000;
/** How long one may lag without reading anything. */
const maxLagMs = 60_000;

export class Reader {
  readonly #response: ServerResponse;
  readonly #journal: Journal;
  readonly #stretch: Stretch;
  readonly #after: After;
  readonly #unfollow: () => void;
  #readId: number | undefined;
  #isLagging = false;
  #callOff = (): void => {};

  constructor(response: ServerResponse, journal: Journal, stretch: Stretch, after: After) {
    this.#response = response;
    this.#journal = journal;
    this.#stretch = stretch;
    this.#after = after;
    this.#unfollow = journal.follow(() => this.#pump());
    if (response.destroyed) {
      this.#unfollow();
      return;
    }
    response.writeHead(200, streamHeaders);
    response.flushHeaders();
    response.on("drain", () => {
      this.#isLagging = false;
      this.#rest();
      this.#pump();
    });
    response.once("close", () => {
      this.#unfollow();
      this.#callOff();
    });
    this.#rest();
    this.#pump();
  }

  #pump(): void {
    if (this.#isLagging || this.#response.writableEnded) return;
    this.#readId ??= this.#stretch.afterId;
    if (this.#readId === undefined) return this.#endIfClosed();
    // What it missed is forgotten; a gap must not look like a whole.
    if (this.#readId < this.#journal.forgottenId) return this.#cut();
    for (;;) {
      const { untilId = Infinity } = this.#stretch;
      if (this.#readId >= untilId) return this.#end();
      const event = this.#journal.read(this.#readId + 1);
      if (event === undefined) return this.#endIfClosed();
      this.#write(eventFrame(++this.#readId, event));
      if (this.#isLagging) return;
    }
  }

  #write(text: string): void {
    this.#isLagging = !this.#response.write(text);
    this.#rest();
  }

  /** Until something is said: a sign of life, or the end of one that does not read. */
  #rest(): void {
    this.#callOff();
    if (this.#response.closed) return;
    this.#callOff = this.#isLagging
      ? this.#after(maxLagMs, () => this.#cut())
      : this.#after(keepaliveMs, () => this.#write(keepalive));
  }

  #endIfClosed(): void {
    if (this.#journal.isClosed) this.#end();
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
