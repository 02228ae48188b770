/**
 * A sample of calls that is the same for the same seed, in the order of the whole list.
 */
import type { ComparedCall } from "./call.ts";

export function sampleOf(calls: readonly ComparedCall[], count: number, seed: number): readonly ComparedCall[] {
  const ranked = calls.map((call) => ({ call, rank: hash(`${seed} ${call.id}`) }));
  const limit = ranked.map(({ rank }) => rank).sort((a, b) => a - b)[count] ?? Number.POSITIVE_INFINITY;
  return ranked.filter(({ rank }) => rank < limit).map(({ call }) => call);
}

/** FNV-1a, 32 bits, with a last mix so that ids that differ in one letter are far apart. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) >>> 0;
  return (value ^ (value >>> 13)) >>> 0;
}
