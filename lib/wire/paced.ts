/**
 * Paces work that many ask for at once: a few pieces in each turn of the event loop,
 * in the order in which they were asked for.
 *
 * In between the loop handles input and output, so that what the first piece leads to
 * does not wait for the last piece.
 */

/** Returns a function that resolves when its caller may go on. */
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
