/**
 * Token counts and costs, and their sums by day, project, engine or model.
 */

export const groupings = ["day", "project", "engine", "model", "session"] as const;
export type Grouping = (typeof groupings)[number];

/** Input does not include what was read from or written to the cache. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What one answer of a model, or a part of a session, used. */
export interface Spending extends Tokens, Readonly<Record<Grouping, string>> {
  /** In US dollars; undefined when no cost is reported. */
  readonly cost: number | undefined;
}

export interface SpendingSum extends Tokens {
  readonly keys: readonly string[];
  readonly sessions: number;
  /** The sum of the known costs; undefined when none is known. */
  readonly cost: number | undefined;
  /** Whether tokens without a known cost are part of the sum. */
  readonly isCostPartial: boolean;
}

/** One sum for each combination of the groupings' values, in the order of the values. */
export function sumBy(spendings: readonly Spending[], by: readonly Grouping[]): readonly SpendingSum[] {
  const groups = new Map<string, Spending[]>();
  for (const spending of spendings) {
    const key = JSON.stringify(by.map((one) => spending[one]));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [spending]);
    else group.push(spending);
  }
  return [...groups]
    .map(([, group]) =>
      sumOf(
        by.map((one) => group[0]?.[one] ?? ""),
        group,
      ),
    )
    .sort((a, b) => compare(a.keys.join("\n"), b.keys.join("\n")));
}

export function sumOf(keys: readonly string[], group: readonly Spending[]): SpendingSum {
  const known = group.filter(({ cost }) => cost !== undefined);
  const total = (read: (one: Spending) => number): number => group.reduce((sum, one) => sum + read(one), 0);
  return {
    keys,
    sessions: new Set(group.map(({ engine, session }) => `${engine} ${session}`)).size,
    input: total(({ input }) => input),
    output: total(({ output }) => output),
    cacheRead: total(({ cacheRead }) => cacheRead),
    cacheWrite: total(({ cacheWrite }) => cacheWrite),
    cost: known.length === 0 ? undefined : total(({ cost = 0 }) => cost),
    isCostPartial: known.length > 0 && known.length < group.length,
  };
}

export function tokensOf({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + output + cacheRead + cacheWrite;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
