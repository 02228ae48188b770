/**
 * Tries a property on many random cases.
 *
 * The same seed gives the same cases, so a run of the specs is the same everywhere. A
 * failing case is shrunk and reported with the command that repeats it. `npm run fuzz --
 * --minutes 10` runs longer, with a seed of its own.
 */
import fc from "fast-check";
import { relative } from "node:path";

const { BOWLINE_SEED, BOWLINE_PATH, BOWLINE_FUZZ_MINUTES } = process.env;

export interface Campaign<T> {
  readonly name: string;
  /** The spec file, for the command that repeats a failure. */
  readonly file: string;
  readonly cases: fc.Arbitrary<T>;
  /** Throws when something does not hold. */
  readonly check: (one: T) => Promise<void>;
  /** A case in readable form. */
  readonly shown: (one: T) => string;
  /** Cases of a short run, which are the same everywhere. */
  readonly count: number;
}

export async function campaign<T>({ name, file, cases, check, shown, count }: Campaign<T>): Promise<void> {
  const minutes = Number(BOWLINE_FUZZ_MINUTES ?? 0);
  const isLong = minutes > 0;
  const details = await fc.check(fc.asyncProperty(cases, check), {
    seed: Number(BOWLINE_SEED ?? 4711),
    ...(BOWLINE_PATH !== undefined && { path: BOWLINE_PATH }),
    ...(isLong
      ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: minutes * 60_000, markInterruptAsFailure: false }
      : { numRuns: count }),
  });
  if (isLong) process.stderr.write(`${name}: ${details.numRuns} cases from seed ${details.seed}\n`);
  if (!details.failed) return;
  const { seed, counterexamplePath, counterexample, errorInstance } = details;
  const spec = relative(process.cwd(), file);
  throw new Error(
    [
      `${name}: ${errorInstance instanceof Error ? errorInstance.message : String(errorInstance)}`,
      `case ${details.numRuns}, made smaller ${details.numShrinks} times:`,
      ...(counterexample === null ? [] : counterexample.map(shown)),
      "to repeat it:",
      `BOWLINE_SEED=${seed} BOWLINE_PATH=${counterexamplePath ?? ""} node --import tsx --test ${spec}`,
    ].join("\n"),
    { cause: errorInstance },
  );
}
