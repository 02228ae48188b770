/**
 * Bench: `npm run bench [-- --quick] [-- word...]` measures and prints the table.
 *
 * Words select rows by name. Ratios compare within this run only; the floor is
 * 1.00. Exits with 1 when a target is missed, so that it can stand in a script.
 */
import { availableParallelism } from "node:os";
import { agentRows } from "./agent.ts";
import { bundle } from "./bundle.ts";
import { decodeRows } from "./decode.ts";
import { encodeRows } from "./encode.ts";
import { measure } from "./measure.ts";
import { pressureRows } from "./pressure.ts";
import { roundTripRows } from "./round-trip.ts";
import type { Outcome, Row, Setting } from "./row.ts";
import { schemaRows } from "./schema.ts";
import { sessionRows } from "./sessions.ts";
import { startUpRows } from "./start-up.ts";
import { isMet, table } from "./table.ts";

const defaultRounds = 9;
const quickRounds = 3;

const words = process.argv.slice(2);
const isQuick = words.includes("--quick");
const filters = words.filter((word) => word !== "--quick");

const bundles = await bundle();
try {
  const started = performance.now();
  const outcomes: Outcome[] = [];
  for (const row of rowsOf({ bowline: bundles.bowline, program: bundles.program, isQuick })) {
    process.stderr.write(`${row.name}\n`);
    outcomes.push(await outcomeOf(row));
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`${table(outcomes)}\n\n${statement(seconds)}\n`);
  if (outcomes.some(({ row, figures }) => isMet(row, figures) === false)) process.exitCode = 1;
} finally {
  bundles.remove();
}

function rowsOf(setting: Setting): Row[] {
  const rows = [
    ...decodeRows(setting),
    ...encodeRows(setting),
    ...roundTripRows(setting),
    ...schemaRows(setting),
    ...startUpRows(setting),
    ...sessionRows(setting),
    ...pressureRows(setting),
    ...agentRows(setting),
  ];
  return filters.length === 0 ? rows : rows.filter(({ name }) => filters.some((word) => name.includes(word)));
}

async function outcomeOf(row: Row): Promise<Outcome> {
  const { contestants, close } = await row.open();
  try {
    const plan = {
      rounds: isQuick ? (row.quickRounds ?? quickRounds) : (row.rounds ?? defaultRounds),
      warmUps: row.warmUps ?? 2,
      isSwept: row.isSwept ?? false,
      baseline: row.baseline ?? "floor",
    };
    return { row, figures: await measure(contestants, plan) };
  } finally {
    await close?.();
  }
}

function statement(seconds: number): string {
  const rounds = isQuick ? `${quickRounds} rounds (quick)` : `${defaultRounds} rounds and more, 3 under pressure`;
  return (
    `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores, ` +
    `medians of ${rounds}, ${seconds} s. Ratios are to the floor of the same round: ` +
    "higher is better where the target is >=, lower where it is <=."
  );
}
