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
const runs = 4;

/** The processor time of this process so far, in milliseconds. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Fails when `run` takes much more than four times as long for `4 * size` as for `size`, in
 * the best of several runs. The large size runs once if that is quick enough.
 */
export function assertLinear(what: string, size: number, run: (size: number) => void): void {
  // The first run compiles the code.
  let small = Math.min(
    msOf(() => run(size)),
    msOf(() => run(size)),
  );
  let large = msOf(() => run(size * 4));
  for (let i = 1; i < runs && large > allowedMs(small); i++) {
    small = Math.min(
      small,
      msOf(() => run(size)),
    );
    large = Math.min(
      large,
      msOf(() => run(size * 4)),
    );
  }
  const text = `${what}: ${size} took ${small.toFixed(1)} ms, ${size * 4} took ${large.toFixed(1)} ms`;
  assert.ok(large <= allowedMs(small), text);
}

function allowedMs(small: number): number {
  return Math.max(small, floorMs) * maxFactor;
}

function msOf(run: () => void): number {
  const before = processorMs();
  run();
  return processorMs() - before;
}
