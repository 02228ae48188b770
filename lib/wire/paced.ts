/**
 * Rate limiter: lets a few callers continue in each turn of the event loop, in order.
 *
 * The event loop handles input and output in between, so that the follow-up work of
 * the first caller does not wait for the last caller.
 */

/** Returns a function whose promise resolves when its caller may continue. */
export function paced(maxPerTurn: number): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let count = 0;
  let isCounting = false;
  return () => {
    last = last.then(async () => {
      if (count >= maxPerTurn) await new Promise<void>((resolve) => void setImmediate(resolve));
      count++;
      if (isCounting) return;
      isCounting = true;
      setImmediate(() => {
        count = 0;
        isCounting = false;
      });
    });
    return last;
  };
}
