/**
 * Ending: why this process is to end, and with which exit code.
 *
 * A signal, or a bug that nobody caught, ends it in order; a further signal does not
 * wait. A promise nobody waited for is a bug, but no reason to end everything else.
 */

const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

export class Shutdown {
  /** Resolves as soon as there is a reason. */
  readonly reason: Promise<string>;
  /** What the process is to exit with. */
  code = 0;
  #resolve: (reason: string) => void = () => {};

  constructor(onBug: (doing: string, cause: unknown) => void) {
    this.reason = new Promise((resolve) => (this.#resolve = resolve));
    process.on("unhandledRejection", (cause) => onBug("unhandled rejection", cause));
    process.on("uncaughtException", (cause) => {
      onBug("uncaught exception", cause);
      this.code ||= 1;
      this.end("a bug of ours");
    });
    for (const [signal, number] of Object.entries(signals)) {
      process.on(signal, () => {
        if (this.code !== 0) process.exit(this.code);
        this.code = 128 + number;
        this.end(`ended by ${signal}`);
      });
    }
  }

  /** The first reason counts. */
  readonly end = (reason: string): void => this.#resolve(reason);
}
