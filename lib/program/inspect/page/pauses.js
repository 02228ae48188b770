/**
 * Divides long work into slices, so that the browser can draw and answer the user in
 * between.
 */

/** The duration of a slice. */
const sliceMs = 12;

export class Pauses {
  #channel = new MessageChannel();
  #since = performance.now();

  /** Whether the slice is over, and the caller has to await `next`. */
  get isDue() {
    return performance.now() - this.#since > sliceMs;
  }

  /** Lets the browser work; a message has no minimum delay, as a timer has. @returns {Promise<void>} */
  next() {
    return new Promise((resolve) => {
      this.#channel.port1.addEventListener(
        "message",
        () => {
          this.#since = performance.now();
          resolve();
        },
        { once: true },
      );
      this.#channel.port1.start();
      this.#channel.port2.postMessage(undefined);
    });
  }
}
