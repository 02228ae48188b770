/**
 * Recorder: lines that pass, written down as the rows of a tape.
 *
 * Taking a line costs next to nothing: it is read, scrubbed and written when nothing
 * else is to be done. Never throws and never holds anybody up. Once the sink has
 * failed nothing more is kept.
 */
import { parseJson } from "../wire/index.ts";
import { isFields, type Fields, type Side } from "./tape-rows.ts";
import type { Scrub } from "./scrub.ts";
import { ScrubbedRows } from "./scrubbed-rows.ts";

export interface TapeSink {
  /** False: it has failed, nothing more is taken. */
  readonly write: (text: string) => boolean;
  readonly end: () => Promise<void>;
}

export interface LinePlace {
  readonly side: Side;
  readonly session?: string | undefined;
}

export interface RecorderOptions {
  /** Undefined: everything is written as it is. */
  readonly scrub: Scrub | undefined;
  /** Milliseconds since the recording began. */
  readonly now: () => number;
}

/** From this much on, what was taken is written at once. */
const maxWaitingChars = 4 * 1024 * 1024;

export class Recorder {
  readonly #sink: TapeSink;
  readonly #now: () => number;
  readonly #rows: ScrubbedRows | undefined;
  #waiting: (readonly [head: Fields, line: string | undefined])[] = [];
  #waitingChars = 0;
  #isOff = false;

  constructor(sink: TapeSink, { scrub, now }: RecorderOptions) {
    this.#sink = sink;
    this.#now = now;
    this.#rows = scrub && new ScrubbedRows(scrub, (row) => this.#write(`${JSON.stringify(row)}\n`));
  }

  line(dir: "in" | "out", line: string, { side, session }: LinePlace): void {
    this.#take({ dir, t: this.#time(), side, ...(session !== undefined && { session }) }, line);
  }

  /** A row that is no message; its time is added. */
  note({ dir, ...rest }: Fields): void {
    this.#take({ dir, t: this.#time(), ...rest }, undefined);
  }

  /** Writes what waits; resolves when all of it is on disk or given up. */
  end(): Promise<void> {
    this.#drain();
    if (!this.#isOff) this.#rows?.flush();
    this.#isOff = true;
    return this.#sink.end();
  }

  #time(): number {
    return Math.round(this.#now() * 1000) / 1000;
  }

  #take(head: Fields, line: string | undefined): void {
    if (this.#isOff) return;
    if (this.#waiting.length === 0) setImmediate(this.#drain);
    this.#waiting.push([head, line]);
    this.#waitingChars += line?.length ?? 0;
    if (this.#waitingChars > maxWaitingChars) this.#drain();
  }

  readonly #drain = (): void => {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#waitingChars = 0;
    for (const [head, line] of taken) {
      if (this.#isOff) return;
      if (line === undefined) this.#put(head);
      else this.#putLine(head, line);
    }
  };

  #putLine(head: Fields, line: string): void {
    const msg = parseJson(line);
    if (!isFields(msg)) this.#put({ ...head, raw: line });
    else if (this.#rows !== undefined) this.#put({ ...head, msg });
    // As it came, with numbers that reading would round.
    else this.#write(`${JSON.stringify(head).slice(0, -1)},"msg":${line}}\n`);
  }

  #put(row: Fields): void {
    if (this.#rows === undefined) this.#write(`${JSON.stringify(row)}\n`);
    else this.#rows.push(row);
  }

  #write(text: string): void {
    this.#isOff ||= !this.#sink.write(text);
  }
}
