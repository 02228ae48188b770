/**
 * Measures how the time of a function grows with the size of its input.
 *
 * Counts the CPU time of this process, which other programs of a busy machine affect
 * less than the elapsed time.
 */
import assert from "node:assert/strict";

/** Four times the input may take this many times as long; a quadratic function takes 16 times. */
const maxFactor = 9;
/** Shorter times consist mostly of the clock's resolution and garbage collection. */
const floorMs = 25;
const runs = 3;

/** The processor time of this process so far, in milliseconds. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Fails when `run` takes much more than four times as long for `4 * size` as for `size`. */
export function assertLinear(what: string, size: number, run: (size: number) => void): void {
  const small = bestMs(() => run(size));
  const large = bestMs(() => run(size * 4));
  const allowed = Math.max(small, floorMs) * maxFactor;
  assert.ok(large <= allowed, `${what}: ${size} took ${small.toFixed(1)} ms, ${size * 4} took ${large.toFixed(1)} ms`);
}

/** The best of several runs, in milliseconds of CPU time; one run is enough where it is quick. */
function bestMs(run: () => void): number {
  let best = Infinity;
  for (let i = 0; i < runs && best > floorMs / 5; i++) {
    const before = processorMs();
    run();
    best = Math.min(best, processorMs() - before);
  }
  return best;
}
