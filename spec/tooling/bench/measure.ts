/**
 * Measures contestants and computes one figure for each.
 *
 * Contestants alternate, round after round and each round in another order, so that a
 * busy machine affects all of them. Ratios are taken within a round, against the floor
 * (or another baseline) of that round, and their median counts.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export type ContestantName =
  | "floor"
  | "ours"
  | "official SDK"
  | "vscode-jsonrpc"
  | "split2"
  | "readline"
  | "claude-agent-acp"
  | "codex-acp";

/** Does its work once and returns its cost: milliseconds, megabytes, or the unit of the row. */
export type Run = () => number | Promise<number>;

export type Contestants = Readonly<Partial<Record<ContestantName, Run>>>;

export interface Plan {
  readonly rounds: number;
  readonly warmUps: number;
  /**
   * Collects garbage before each turn. For rows whose garbage is large; the others
   * would lose their optimised code to it (small updates: 0.61 instead of 0.88).
   */
  readonly isSwept: boolean;
  /** Whose cost is 1.00. */
  readonly baseline: ContestantName;
}

export interface Figure {
  readonly cost: number;
  /** The cost over the baseline's cost in the same round; undefined without a baseline. */
  readonly overBaseline: number | undefined;
}

export type Figures = ReadonlyMap<ContestantName, Figure>;

/** A contestant this much slower than the floor has made its point and sits out the rounds. */
const hopelessRatio = 40;

export async function measure(contestants: Contestants, plan: Plan): Promise<Figures> {
  const { rounds, warmUps, isSwept, baseline } = plan;
  const names = Object.keys(contestants) as ContestantName[];
  const samples = new Map<ContestantName, number[]>(names.map((name) => [name, []]));
  const hopeless = new Map<ContestantName, Figure>();
  const take = async (name: ContestantName): Promise<number> => {
    if (isSwept) collectGarbage();
    return (await contestants[name]?.()) ?? NaN;
  };

  let floor = NaN;
  for (let i = 0; i < warmUps; i++) {
    for (const name of names) {
      if (hopeless.has(name)) continue;
      const cost = await take(name);
      if (name === "floor") floor = cost;
      if (cost > floor * hopelessRatio) hopeless.set(name, { cost, overBaseline: cost / floor });
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const i of names.keys()) {
      const name = names[(i + round) % names.length] ?? "floor";
      if (!hopeless.has(name)) samples.get(name)?.push(await take(name));
    }
  }
  const base = samples.get(baseline);
  return new Map(names.map((name) => [name, hopeless.get(name) ?? medianOf(samples.get(name) ?? [], base)]));
}

/**
 * The milliseconds of CPU a piece of work in this process takes, its garbage
 * collection included. On a busy machine elapsed time measures the other programs:
 * the ratio of one decoder to the floor came out anywhere from 0.33 to 1.25.
 */
export function timed(work: () => void): number {
  const start = process.cpuUsage();
  work();
  return millisecondsSince(start);
}

export async function timedAsync(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  return millisecondsSince(start);
}

/** The elapsed milliseconds, for work in several processes. */
export async function clocked(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

function millisecondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function medianOf(costs: readonly number[], base: readonly number[] | undefined): Figure {
  const overBaseline = base && median(costs.map((cost, round) => cost / (base[round] ?? NaN)));
  return { cost: median(costs), overBaseline };
}

setFlagsFromString("--expose-gc");
/** Collects garbage, so that no contestant pays for another's. */
const collectGarbage = runInNewContext("gc") as () => void;
