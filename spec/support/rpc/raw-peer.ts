/**
 * The far end of a link, which sends and receives raw lines.
 *
 * Received lines wait in order until a spec asks for them. Does not know JSON-RPC, so it
 * can send what no peer would.
 */
import type { Link } from "../../../lib/wire/index.ts";

export class RawPeer {
  /** Lines that no spec has asked for yet. */
  readonly waiting: string[] = [];
  /** The other side sends no more. */
  readonly ended: Promise<void>;
  readonly #link: Link;
  #takers: ((line: string) => void)[] = [];
  #hasDrained: () => void = () => {};

  constructor(link: Link) {
    this.#link = link;
    this.ended = new Promise((resolve) => {
      link.open({
        onLine: (line) => this.#receive(line),
        onFault: () => this.#receive("a line that could not be read"),
        onDrain: () => this.#hasDrained(),
        onEnd: resolve,
        onClose: () => resolve(),
      });
    });
  }

  /** False: the other side lags. */
  say(line: string): boolean {
    return this.#link.send(line);
  }

  /** The next line, now or when it arrives. */
  next(): Promise<string> {
    const line = this.waiting.shift();
    return line === undefined ? new Promise((resolve) => this.#takers.push(resolve)) : Promise.resolve(line);
  }

  /** The next `count` lines. */
  async take(count: number): Promise<string[]> {
    const lines: string[] = [];
    while (lines.length < count) lines.push(await this.next());
    return lines;
  }

  /** Resolves when the other side has caught up after `say` returned false. */
  drained(): Promise<void> {
    return new Promise((resolve) => (this.#hasDrained = resolve));
  }

  pause(): void {
    this.#link.pause();
  }

  resume(): void {
    this.#link.resume();
  }

  close(): void {
    this.#link.close("the script is over");
  }

  #receive(line: string): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.waiting.push(line);
    else taker(line);
  }
}

/** Resolves when all that memory links have to do is done: they work in microtasks. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
