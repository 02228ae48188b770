/**
 * Collects the responses to each batch of the peer, and sends them as one line when every
 * request of the batch is answered.
 *
 * Bounds memory: responses wait for the slowest request of their batch, and the characters of
 * all waiting responses are counted. A response that would exceed `maxHeldChars` is replaced by
 * an error. While `isFull`, the owner runs no request of a new batch. Has no link: lines go to
 * the `send` callback.
 */
import { errorCodes } from "./errors.ts";
import { encodeError, type Id } from "./message.ts";

/** Half of the longest line that a peer reads by default, because the responses to a batch are one line. */
const defaultMaxHeldChars = 16 * 1024 * 1024;

/** Takes the response to the request with this id. */
export type AnswerRequest = (id: Id, line: string) => void;

interface OpenBatch {
  readonly responses: string[];
  chars: number;
}

export class BatchResponses {
  readonly #send: (line: string) => void;
  readonly #maxHeldChars: number;
  readonly #open = new Set<OpenBatch>();
  #heldChars = 0;

  constructor(send: (line: string) => void, maxHeldChars: number = defaultMaxHeldChars) {
    this.#send = send;
    this.#maxHeldChars = maxHeldChars;
  }

  /** Whether so many responses wait that no request of a new batch may run. */
  get isFull(): boolean {
    return this.#heldChars >= this.#maxHeldChars;
  }

  /** How many batches wait for responses. */
  get openCount(): number {
    return this.#open.size;
  }

  /** Opens a batch to which `count` responses will be given. With 0, nothing is sent. */
  open(count: number): AnswerRequest {
    const batch: OpenBatch = { responses: [], chars: 0 };
    if (count > 0) this.#open.add(batch);
    return (id, line) => {
      if (!this.#open.has(batch)) return;
      const response = this.#heldChars + line.length > this.#maxHeldChars ? encodeError(id, this.#tooLarge) : line;
      batch.responses.push(response);
      batch.chars += response.length;
      this.#heldChars += response.length;
      if (batch.responses.length === count) this.#finish(batch);
    };
  }

  /** Sends what was answered so far of each open batch; later responses are dropped. */
  flush(): void {
    for (const batch of this.#open) this.#finish(batch);
  }

  get #tooLarge() {
    const message = `the responses to open batches exceed ${this.#maxHeldChars} characters`;
    return { code: errorCodes.internalError, message };
  }

  #finish(batch: OpenBatch): void {
    this.#open.delete(batch);
    this.#heldChars -= batch.chars;
    if (batch.responses.length > 0) this.#send(`[${batch.responses.join(",")}]`);
  }
}
