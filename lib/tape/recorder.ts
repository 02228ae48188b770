/**
 * Writes lines of traffic as the rows of a tape.
 *
 * `line` and `note` only queue the row; parsing, scrubbing and writing happen in a later
 * turn of the event loop, unless 4 million characters are queued. Never throws. After
 * the sink has failed, rows are discarded.
 */
import { parseBoundedJson } from "../wire/index.ts";
import { isFields, type RowFields, type Side } from "./tape-rows.ts";
import type { Scrub } from "./scrub/scrub.ts";
import { ScrubbedRows } from "./scrub/scrubbed-rows.ts";

export interface TapeSink {
  /** False when the sink has failed and accepts nothing more. */
  readonly write: (text: string) => boolean;
  readonly end: () => Promise<void>;
}

export interface LinePlace {
  readonly side: Side;
  readonly session?: string | undefined;
}

export interface RecorderOptions {
  /** Undefined writes everything unscrubbed. */
  readonly scrub: Scrub | undefined;
  /** Milliseconds since the recording began. */
  readonly now: () => number;
}

/** When more than this is queued, the queue is written at once. */
const maxQueuedChars = 4 * 1024 * 1024;

/** Writes the rows of a tape, without secrets, in the order in which the messages passed. */
export class Recorder {
  readonly #sink: TapeSink;
  readonly #now: () => number;
  readonly #rows: ScrubbedRows | undefined;
  #queue: (readonly [head: RowFields, line: string | undefined])[] = [];
  #queuedChars = 0;
  #isOff = false;

  constructor(sink: TapeSink, { scrub, now }: RecorderOptions) {
    this.#sink = sink;
    this.#now = now;
    this.#rows = scrub && new ScrubbedRows(scrub, (row) => this.#write(`${JSON.stringify(row)}\n`));
  }

  line(dir: "in" | "out", line: string, { side, session }: LinePlace): void {
    this.#take({ dir, t: this.#time(), side, ...(session !== undefined && { session }) }, line);
  }

  /** Records a row that is no message; the time is added. */
  note({ dir, ...rest }: RowFields): void {
    this.#take({ dir, t: this.#time(), ...rest }, undefined);
  }

  /** Writes the queued rows; resolves when they are on disk or the sink has given up. */
  end(): Promise<void> {
    this.#drain();
    if (!this.#isOff) this.#rows?.flush();
    this.#isOff = true;
    return this.#sink.end();
  }

  #time(): number {
    return Math.round(this.#now() * 1000) / 1000;
  }

  #take(head: RowFields, line: string | undefined): void {
    if (this.#isOff) return;
    if (this.#queue.length === 0) setImmediate(this.#drain);
    this.#queue.push([head, line]);
    this.#queuedChars += line?.length ?? 0;
    if (this.#queuedChars > maxQueuedChars) this.#drain();
  }

  readonly #drain = (): void => {
    const rows = this.#queue;
    this.#queue = [];
    this.#queuedChars = 0;
    for (const [head, line] of rows) {
      if (this.#isOff) return;
      if (line === undefined) this.#put(head);
      else this.#putLine(head, line);
    }
  };

  #putLine(head: RowFields, line: string): void {
    const msg = parseBoundedJson(line);
    if (!isFields(msg)) this.#put({ ...head, raw: line });
    else if (this.#rows !== undefined) this.#put({ ...head, msg });
    // The unparsed line: JSON.parse would round large numbers.
    else this.#write(`${JSON.stringify(head).slice(0, -1)},"msg":${line}}\n`);
  }

  #put(row: RowFields): void {
    if (this.#rows === undefined) this.#write(`${JSON.stringify(row)}\n`);
    else this.#rows.push(row);
  }

  #write(text: string): void {
    this.#isOff ||= !this.#sink.write(text);
  }
}
