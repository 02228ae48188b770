/**
 * Sends spans to an OTLP endpoint in batches, while a session runs.
 *
 * Never delays the session: spans wait in a queue with a limit, and what cannot be sent
 * after a few tries is given up. Dropped spans are counted, and the user sees their number.
 */
import type { Schedule } from "../../wire/index.ts";
import type { Span } from "./span.ts";

export interface SpanExporterOptions {
  /** Resolves with the HTTP status; rejects when there was no answer. */
  readonly send: (spans: readonly Span[]) => Promise<number>;
  readonly after: Schedule;
  /** Called once, with the reason of the first failure. */
  readonly warn: (sentence: string) => void;
}

const maxQueued = 10_000;
const maxBatch = 512;
const flushMs = 2_000;
const maxTries = 3;
const retryMs = 500;
/** Answers after which sending again may help. */
const retriable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export class SpanExporter {
  readonly #options: SpanExporterOptions;
  #queue: Span[] = [];
  #cancelFlush: (() => void) | undefined;
  #sending: Promise<void> = Promise.resolve();
  #lost = 0;
  #hasWarned = false;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
  }

  /** Spans that were given up. */
  get lost(): number {
    return this.#lost;
  }

  add(span: Span): void {
    if (this.#queue.length >= maxQueued) return void this.#lost++;
    this.#queue.push(span);
    if (this.#queue.length >= maxBatch) this.#flush();
    else this.#cancelFlush ??= this.#options.after(flushMs, () => this.#flush());
  }

  /** Resolves when everything was sent or given up. */
  async end(): Promise<void> {
    this.#flush();
    await this.#sending;
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#sending = this.#sending.then(async () => {
      while (this.#queue.length > 0) await this.#sendBatch(this.#queue.splice(0, maxBatch));
    });
  }

  async #sendBatch(spans: readonly Span[]): Promise<void> {
    const { send, after } = this.#options;
    let why = "";
    for (let tries = 1; tries <= maxTries; tries++) {
      try {
        const status = await send(spans);
        if (status >= 200 && status < 300) return;
        why = `it answered ${status}`;
        if (!retriable.has(status)) break;
      } catch {
        why = "it cannot be reached";
      }
      if (tries < maxTries) await new Promise<void>((resolve) => after(retryMs * tries, resolve));
    }
    this.#lost += spans.length;
    if (!this.#hasWarned) this.#options.warn(`the trace endpoint does not take spans: ${why}; the session goes on`);
    this.#hasWarned = true;
  }
}
