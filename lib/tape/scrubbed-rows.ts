/**
 * Scrubbed rows: rows in, rows without secrets out, in the same order.
 *
 * A secret that a stream cuts into pieces is found too: the end of a piece that more
 * words could make a secret of waits for them, and the rows behind it with it. The
 * words are cut again where they were, so that nothing is said earlier or later.
 */
import { endedBy, fragmentOf } from "./stream-fragments.ts";
import { type Fields, isFields } from "./tape-rows.ts";
import type { Scrub } from "./scrub.ts";

/** How much of a stream waits at most, such as a long line without a space. */
const maxUndecidedChars = 8192;
/** How many rows wait at most. */
const maxHeldRows = 256;

interface Held {
  /** What is written, once it is known. */
  row: Fields | undefined;
  readonly put: (words: string) => Fields;
  /** Its words as far as they are clean. */
  words: string;
  /** How many characters are not decided yet. */
  rawChars: number;
}

interface HeldStream {
  text: string;
  held: Held[];
}

export class ScrubbedRows {
  readonly #scrub: Scrub;
  readonly #emit: (row: Fields) => void;
  readonly #streams = new Map<string, HeldStream>();
  #queue: Held[] = [];

  constructor(scrub: Scrub, emit: (row: Fields) => void) {
    this.#scrub = scrub;
    this.#emit = emit;
  }

  push(row: Fields): void {
    const { msg, session } = row;
    const message = isFields(msg) ? msg : {};
    const name = typeof session === "string" ? session : "";
    const piece = fragmentOf(message, name);
    const bare = piece && this.#scrub.value(piece.put(""));
    const holder = isFields(bare) ? fragmentOf(bare, name) : undefined;
    const ended = endedBy(message, name);
    if (ended !== undefined) this.#end(ended, piece?.stream);
    if (piece === undefined || holder === undefined) {
      const clean = this.#scrub.value(row);
      this.#queue.push({ row: isFields(clean) ? clean : {}, put: () => row, words: "", rawChars: 0 });
    } else {
      const put = (words: string): Fields => ({ ...row, msg: holder.put(words) });
      this.#take(piece.stream, piece.words, { row: undefined, put, words: "", rawChars: piece.words.length });
    }
    if (this.#queue.length > maxHeldRows) this.#end("");
    this.#release();
  }

  /** Nothing more will come: what waits is decided as it is. */
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

  /** How much can be decided now: never a part of something that is hidden as a whole. */
  #cutOf(words: string): number {
    const cut = this.#scrub.undecidedFrom(words);
    const { text } = this.#scrub;
    if (words.length - cut > maxUndecidedChars) return words.length;
    const clean = text(words);
    if (clean === words || text(words.slice(0, cut)) + text(words.slice(cut)) === clean) return cut;
    return words.length > maxUndecidedChars ? words.length : 0;
  }

  /** Ends the streams whose names begin so. */
  #end(prefix: string, except?: string): void {
    for (const [name, stream] of this.#streams) {
      if (!name.startsWith(prefix) || name === except) continue;
      this.#decide(stream, stream.text.length);
      this.#streams.delete(name);
    }
  }

  /** Cleans the first part of what waits and gives it to its pieces. */
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
      // The last takes what is left over.
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
