/**
 * Replaces secrets in the rows of a tape, in order. Also finds a secret that streaming has split
 * over several rows.
 *
 * When the end of a row's text could be the beginning of a secret, that end is held until the
 * text of the next rows decides it. All later rows wait too, so the order is kept. The scrubbed
 * text is then divided among the rows at the original positions. At most `maxUndecidedChars` of
 * a stream and `maxHeldRows` are held.
 */
import { endedBy, fragmentOf } from "./stream-fragments.ts";
import { type RowFields, isFields } from "../tape-rows.ts";
import type { Scrub } from "./scrub.ts";

/** Undecided characters held per stream at most, for example a long line without a space. */
const maxUndecidedChars = 8192;
/** Rows held at most. */
const maxHeldRows = 256;

interface Held {
  /** The scrubbed row; undefined while its text is undecided. */
  row: RowFields | undefined;
  /** Builds the row with this text. */
  readonly put: (words: string) => RowFields;
  /** The scrubbed part of the text. */
  words: string;
  /** The number of undecided characters. */
  rawChars: number;
}

interface HeldStream {
  text: string;
  held: Held[];
}

export class ScrubbedRows {
  readonly #scrub: Scrub;
  readonly #emit: (row: RowFields) => void;
  readonly #streams = new Map<string, HeldStream>();
  #queue: Held[] = [];

  constructor(scrub: Scrub, emit: (row: RowFields) => void) {
    this.#scrub = scrub;
    this.#emit = emit;
  }

  push(row: RowFields): void {
    const { msg, session } = row;
    const message = isFields(msg) ? msg : {};
    const name = typeof session === "string" ? session : "";
    const fragment = fragmentOf(message, name);
    // The rest of the message is scrubbed at once; only the fragment's text has to wait.
    const withoutText = fragment && this.#scrub.value(fragment.put(""));
    const holder = isFields(withoutText) ? fragmentOf(withoutText, name) : undefined;
    const ended = endedBy(message, name);
    if (ended !== undefined) this.#end(ended, fragment?.stream);
    if (fragment === undefined || holder === undefined) {
      const clean = this.#scrub.value(row);
      this.#queue.push({ row: isFields(clean) ? clean : {}, put: () => row, words: "", rawChars: 0 });
    } else {
      const put = (words: string): RowFields => ({ ...row, msg: holder.put(words) });
      this.#take(fragment.stream, fragment.words, { row: undefined, put, words: "", rawChars: fragment.words.length });
    }
    if (this.#queue.length > maxHeldRows) this.#end("");
    this.#release();
  }

  /** Decides and emits everything that is held: no more rows will come. */
  flush(): void {
    this.#end("");
    this.#release();
  }

  #take(name: string, words: string, held: Held): void {
    const stream = this.#streams.get(name) ?? { text: "", held: [] };
    this.#streams.set(name, stream);
    this.#queue.push(held);
    stream.held.push(held);
    stream.text += words;
    this.#decide(stream, this.#cutOf(stream.text));
    if (stream.held.length === 0) this.#streams.delete(name);
  }

  /** How many characters can be decided now; never splits a part that is hidden as a whole. */
  #cutOf(words: string): number {
    const cut = this.#scrub.undecidedFrom(words);
    const { text } = this.#scrub;
    if (words.length - cut > maxUndecidedChars) return words.length;
    const clean = text(words);
    if (clean === words || text(words.slice(0, cut)) + text(words.slice(cut)) === clean) return cut;
    return words.length > maxUndecidedChars ? words.length : 0;
  }

  /** Decides and ends the streams whose names begin with the prefix. */
  #end(prefix: string, except?: string): void {
    for (const [name, stream] of this.#streams) {
      if (!name.startsWith(prefix) || name === except) continue;
      this.#decide(stream, stream.text.length);
      this.#streams.delete(name);
    }
  }

  /** Scrubs the first `chars` characters of a stream and distributes the result over its rows. */
  #decide(stream: HeldStream, chars: number): void {
    let clean = this.#scrub.text(stream.text.slice(0, chars));
    let left = chars;
    stream.text = stream.text.slice(chars);
    for (let held = stream.held[0]; held !== undefined; held = stream.held[0]) {
      if (held.rawChars > left) {
        held.words += clean;
        held.rawChars -= left;
        return;
      }
      left -= held.rawChars;
      // Scrubbing changes the length: the last row takes the remainder.
      const share = left === 0 ? clean : clean.slice(0, held.rawChars);
      clean = clean.slice(share.length);
      held.row = held.put(held.words + share);
      stream.held.shift();
    }
  }

  #release(): void {
    let count = 0;
    for (const { row } of this.#queue) {
      if (row === undefined) break;
      count++;
      this.#emit(row);
    }
    if (count > 0) this.#queue = this.#queue.slice(count);
  }
}
