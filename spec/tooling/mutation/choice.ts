/**
 * Chooses a fair and repeatable sample of mutants.
 *
 * The same seed gives the same sample of the same sources. Every file of a module gets
 * its share, and within a file every kind of fault.
 */
import { filesBelow, readText } from "../../support/files.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";

/** How many of each module. */
export const moduleShares: Readonly<Record<string, number>> = { rpc: 40, wire: 35, "claude/translate": 45 };

export function chosen(seed: number, shares: Readonly<Record<string, number>> = moduleShares): readonly Mutant[] {
  return Object.entries(shares).flatMap(([module, count]) => {
    const files = filesBelow([`lib/${module}`], ".ts").filter((file) => !file.endsWith("/index.ts"));
    const next = random(seed);
    const piles = files.map((file) => turns(shuffled(mutantsOf(file, readText(file)), next)));
    const total = piles.reduce((sum, pile) => sum + pile.length, 0);
    // By size, but at least one mutant of each file that has any.
    const wanted = piles.map((pile) => Math.min(pile.length, Math.max(1, Math.round((pile.length / total) * count))));
    return piles.flatMap((pile, i) => pile.slice(0, wanted[i])).slice(0, Math.max(count, files.length));
  });
}

/** One mutant of each kind, then the next of each. */
function turns(mutants: readonly Mutant[]): readonly Mutant[] {
  const kinds = new Map<string, Mutant[]>();
  for (const one of mutants) kinds.set(one.operator, [...(kinds.get(one.operator) ?? []), one]);
  const piles = [...kinds.values()];
  const taken: Mutant[] = [];
  while (piles.some((pile) => pile.length > 0)) {
    for (const pile of piles) {
      const one = pile.shift();
      if (one !== undefined) taken.push(one);
    }
  }
  return taken;
}

function shuffled<T>(all: readonly T[], next: () => number): readonly T[] {
  return all
    .map((one) => ({ one, key: next() }))
    .sort((left, right) => left.key - right.key)
    .map(({ one }) => one);
}

/** mulberry32. */
function random(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
