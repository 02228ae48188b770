/**
 * Decides when this process shuts down, with which reason and with which exit code.
 *
 * A signal, an uncaught exception or a call of `end` starts the shutdown. A second signal exits
 * at once. An unhandled rejection is reported as a bug and does not end the process. The owner
 * stops its work in `finish`, which exits the process when that takes too long.
 */

const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

export class Shutdown {
  /** Resolves when the process is to shut down. */
  readonly reason: Promise<string>;
  /** The exit code of the process. */
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

  /** Waits for the shutdown and stops, for at most `limitMs`; then the process exits. Resolves with the exit code. */
  async finish(limitMs: number, stop: (reason: string) => Promise<void>): Promise<number> {
    const reason = await this.reason;
    const limit = setTimeout(() => process.exit(this.code), limitMs);
    await stop(reason);
    clearTimeout(limit);
    return this.code;
  }

  /** Starts the shutdown. Only the first reason counts. */
  readonly end = (reason: string): void => this.#resolve(reason);
}
