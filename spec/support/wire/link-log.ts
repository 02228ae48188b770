/**
 * Records all callbacks of a link in order, and waits for them.
 */
import type { LineFault, LinkCallbacks } from "../../../lib/wire/index.ts";

export class LinkLog implements LinkCallbacks {
  readonly lines: string[] = [];
  readonly faults: LineFault[] = [];
  /** Everything in order: `line x`, `fault too-long`, `drain`, `end`, `close why`. */
  readonly events: string[] = [];
  /** The reason, once the link is closed. */
  readonly closed: Promise<string>;
  readonly #also: (line: string) => void;
  #resolveClosed: (reason: string) => void = () => {};
  #waiters: { readonly holds: () => boolean; readonly resolve: () => void }[] = [];

  /** `also` is called with each line after it is recorded. */
  constructor(also: (line: string) => void = () => {}) {
    this.#also = also;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
  }

  readonly onLine = (line: string): void => {
    this.lines.push(line);
    this.#tell(`line ${line}`);
    this.#also(line);
  };

  readonly onFault = (fault: LineFault): void => {
    this.faults.push(fault);
    this.#tell(`fault ${fault.kind}`);
  };

  readonly onDrain = (): void => this.#tell("drain");

  readonly onEnd = (): void => this.#tell("end");

  readonly onClose = (reason: string): void => {
    this.#resolveClosed(reason);
    this.#tell(`close ${reason}`);
  };

  /** Resolves when the condition holds, checked now and at every event. */
  until(holds: () => boolean): Promise<void> {
    return holds() ? Promise.resolve() : new Promise((resolve) => this.#waiters.push({ holds, resolve }));
  }

  has(event: string): Promise<void> {
    return this.until(() => this.events.includes(event));
  }

  #tell(event: string): void {
    this.events.push(event);
    for (const { resolve } of this.#waiters.filter(({ holds }) => holds())) resolve();
    this.#waiters = this.#waiters.filter(({ holds }) => !holds());
  }
}

/** Lets everything that is already on its way happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}
