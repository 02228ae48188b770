/**
 * Decides which fault hits which message, from rates, limits and a seed.
 *
 * The same seed and the same number of messages give the same faults. Knows no stream
 * and no clock.
 */

/** Which messages faults hit: those of the agent, of the client, or all. */
export type FaultSide = "agent" | "client" | "both";

export interface Faults {
  /** Every message is late by this time; the order stays. */
  readonly delayMs: number;
  /** A random part of this time is added to each delay. */
  readonly jitterMs: number;
  /** Rates from 0 to 1. */
  readonly dropRate: number;
  readonly duplicateRate: number;
  /** The message is sent after the one that follows it. */
  readonly reorderRate: number;
  /** After this many messages half of the next one is sent and the connection ends. */
  readonly cutAfter: number | undefined;
  /** After this many messages the process is killed. */
  readonly dieAfter: number | undefined;
  /** After this many messages nothing more is sent; the connection stays open. */
  readonly stallAfter: number | undefined;
  readonly seed: number;
  readonly side: FaultSide;
}

export type FaultKind = "pass" | "drop" | "duplicate" | "reorder" | "cut" | "die" | "stall";

export interface FaultDecision {
  readonly kind: FaultKind;
  readonly delayMs: number;
}

export const noFaults: Omit<Faults, "seed" | "side"> = {
  delayMs: 0,
  jitterMs: 0,
  dropRate: 0,
  duplicateRate: 0,
  reorderRate: 0,
  cutAfter: undefined,
  dieAfter: undefined,
  stallAfter: undefined,
};

/** The decisions for the messages of one direction, in order. */
export class FaultPlan {
  readonly #faults: Faults;
  readonly #random: () => number;
  #count = 0;

  constructor(faults: Faults) {
    this.#faults = faults;
    this.#random = seededRandom(faults.seed);
  }

  next(): FaultDecision {
    const { cutAfter, dieAfter, stallAfter, delayMs, jitterMs, dropRate, duplicateRate, reorderRate } = this.#faults;
    const before = this.#count++;
    // Drawn for every message, so that one option does not change the random numbers of another.
    const [late, drop, duplicate, reorder] = [this.#random(), this.#random(), this.#random(), this.#random()];
    const decide = (kind: FaultKind): FaultDecision => ({ kind, delayMs: delayMs + jitterMs * late });
    if (dieAfter !== undefined && before >= dieAfter) return decide("die");
    if (cutAfter !== undefined && before >= cutAfter) return decide("cut");
    if (stallAfter !== undefined && before >= stallAfter) return decide("stall");
    if (drop < dropRate) return decide("drop");
    if (duplicate < duplicateRate) return decide("duplicate");
    return decide(reorder < reorderRate ? "reorder" : "pass");
  }
}

/** A generator of numbers from 0 to below 1 (mulberry32), the same for the same seed. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
