/**
 * Sends a session's event log to one HTTP response as server-sent events.
 *
 * Keeps a position in the log and no queue of its own: at most `maxUnsentBytes` of the
 * log's buffer are unsent at a time. The connection is cut when the client reads nothing
 * for a minute, when its next events were dropped, or when `HeldBytes` drops it. The
 * client may reconnect and name the last event it received.
 */
import type { ServerResponse } from "node:http";
import type { Schedule } from "../wire/index.ts";
import { keepalive, streamHeaders } from "./event-stream.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { EventLog } from "./event-log.ts";

/** A range of event ids. The ids of a queued turn become known only when the turn runs. */
export interface EventRange {
  /** The id of the last event before the range; undefined while the turn is queued. */
  readonly afterId: number | undefined;
  /** The id of the last event of the range; undefined while the range grows. */
  readonly untilId: number | undefined;
}

/** Idle time before a keep-alive comment is sent. */
const keepaliveMs = 15_000;
/** How long a client may read nothing while data waits for it. */
const maxStallMs = 60_000;
/** How much of an event is written to the socket at once; the rest follows when the socket has drained. */
const maxUnsentBytes = 256 * 1024;

export interface EventSubscriberOptions {
  /** Sent before the first event: some proxies pass the head of a response on with its first byte. */
  readonly opening?: string | undefined;
  readonly after: Schedule;
  readonly held: HeldBytes;
  /** Changes each encoded event before it is sent; an empty one is not sent. */
  readonly encode?: ((frame: Buffer) => Buffer) | undefined;
}

export class EventSubscriber {
  readonly #response: ServerResponse;
  readonly #log: EventLog;
  readonly #range: EventRange;
  readonly #after: Schedule;
  readonly #held: HeldBytes;
  readonly #encode: (frame: Buffer) => Buffer;
  readonly #unfollow: () => void;
  /** The id of the last event that was written to the socket, in part or whole. */
  #sentId: number | undefined;
  /** The event that is partly written; undefined when the last event was written whole. */
  #frame: Buffer | undefined;
  #writtenBytes = 0;
  /** The socket's buffer is full; writing continues after `drain`. */
  #isBlocked = false;
  #cancelTimer = (): void => {};
  #release = (): void => {};

  constructor(response: ServerResponse, log: EventLog, range: EventRange, options: EventSubscriberOptions) {
    const { after, held, opening, encode = (frame) => frame } = options;
    this.#response = response;
    this.#log = log;
    this.#range = range;
    this.#after = after;
    this.#held = held;
    this.#encode = encode;
    this.#unfollow = log.follow(() => this.#pump());
    if (response.destroyed) {
      this.#unfollow();
      return;
    }
    response.writeHead(200, streamHeaders);
    response.flushHeaders();
    response.on("drain", () => {
      this.#isBlocked = false;
      this.#release();
      this.#restartTimer();
      this.#pump();
    });
    response.once("close", () => {
      this.#unfollow();
      this.#cancelTimer();
      this.#release();
    });
    this.#restartTimer();
    if (opening !== undefined) this.#write(opening);
    this.#pump();
  }

  /** Writes events until the socket is full or the log has no more. */
  #pump(): void {
    if (this.#isBlocked || this.#response.writableEnded) return;
    this.#sentId ??= this.#range.afterId;
    if (this.#sentId === undefined) return this.#endIfClosed();
    this.#writeFrame();
    if (this.#isBlocked) return;
    // The next event was dropped. Cut the connection: the client must not miss events without noticing.
    if (this.#sentId < this.#log.droppedId) return this.#cut();
    for (;;) {
      const { untilId = Infinity } = this.#range;
      if (this.#sentId >= untilId) return this.#end();
      const frame = this.#log.frame(this.#sentId + 1);
      if (frame === undefined) return this.#endIfClosed();
      this.#sentId++;
      const encoded = this.#encode(frame);
      if (encoded.length === 0) continue;
      this.#frame = encoded;
      this.#writeFrame();
      if (this.#isBlocked) return;
    }
  }

  /** Writes the rest of the current event, until the socket is full. */
  #writeFrame(): void {
    const frame = this.#frame;
    while (frame !== undefined && this.#frame === frame && !this.#isBlocked) {
      const part = frame.subarray(this.#writtenBytes, this.#writtenBytes + maxUnsentBytes);
      this.#writtenBytes += part.length;
      if (this.#writtenBytes === frame.length) {
        this.#frame = undefined;
        this.#writtenBytes = 0;
      }
      this.#write(part);
      // The part keeps the whole buffer in memory, also after the log has dropped the event.
      if (this.#isBlocked) this.#release = this.#held.hold(frame, () => this.#cut());
    }
  }

  #write(bytes: Buffer | string): void {
    this.#isBlocked = !this.#response.write(bytes);
    this.#restartTimer();
  }

  /** Starts the stall timer while the socket is full, otherwise the keep-alive timer. */
  #restartTimer(): void {
    this.#cancelTimer();
    if (this.#response.closed) return;
    this.#cancelTimer = this.#isBlocked
      ? this.#after(maxStallMs, () => this.#cut())
      : this.#after(keepaliveMs, () => this.#write(keepalive));
  }

  #endIfClosed(): void {
    if (this.#log.isClosed) this.#end();
  }

  #end(): void {
    this.#unfollow();
    this.#response.end();
    this.#isBlocked = true;
    this.#restartTimer();
  }

  #cut(): void {
    this.#unfollow();
    this.#response.destroy();
  }
}
