/**
 * The prompts of one session, from all its clients: one runs, the others wait in order.
 *
 * At most `maxWaiting` wait. A prompt with a `promptId` runs once, as long as it is among the
 * last `maxRemembered` with such an id: when it is sent again, for example by a client that has
 * reconnected, the second request gets the answer of the first.
 */
import { errorCodes, RpcError } from "../../rpc/index.ts";

export interface QueuedPrompt<Author> {
  readonly author: Author;
  readonly promptId: string | undefined;
  /** Runs the turn. */
  readonly run: () => Promise<unknown>;
}

interface WaitingPrompt<Author> extends QueuedPrompt<Author> {
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/** Prompts that may wait behind the running one. */
const maxWaiting = 8;
/** Prompts whose answer is kept for a client that sends them again. */
const maxRemembered = 32;

export class PromptQueue<Author> {
  readonly #waiting: WaitingPrompt<Author>[] = [];
  readonly #remembered = new Map<string, Promise<unknown>>();
  #running: WaitingPrompt<Author> | undefined;

  /** The author of the running prompt. */
  get author(): Author | undefined {
    return this.#running?.author;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Resolves with the answer to the prompt. */
  push(prompt: QueuedPrompt<Author>): Promise<unknown> {
    const { promptId } = prompt;
    const known = promptId === undefined ? undefined : this.#remembered.get(promptId);
    if (known !== undefined) return known;
    if (this.#waiting.length >= maxWaiting) {
      const text = `too many prompts wait in this session, the limit is ${maxWaiting}`;
      throw new RpcError(errorCodes.internalError, text);
    }
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.push({ ...prompt, resolve, reject }));
    if (promptId !== undefined) this.#remember(promptId, answer);
    this.#pump();
    return answer;
  }

  /** Answers the waiting prompts of one author, or all of them, with the stop reason `cancelled`. */
  cancelWaiting(author?: Author): void {
    for (const prompt of this.#waiting.splice(0)) {
      if (author === undefined || prompt.author === author) prompt.resolve({ stopReason: "cancelled" });
      else this.#waiting.push(prompt);
    }
  }

  #pump(): void {
    if (this.#running !== undefined) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#running = next;
    void next
      .run()
      .then(next.resolve, next.reject)
      .finally(() => {
        this.#running = undefined;
        this.#pump();
      });
  }

  #remember(promptId: string, answer: Promise<unknown>): void {
    answer.catch(() => {});
    this.#remembered.set(promptId, answer);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maxRemembered && oldest !== undefined) this.#remembered.delete(oldest);
  }
}
