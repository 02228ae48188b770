/**
 * Measures one row in a process of its own and prints its figures as JSON.
 *
 * Rows measured one after the other in one process influence each other's optimised code
 * and garbage: a round trip came out at 0.86 of its floor instead of 0.93.
 */
import { argv, exit, stdout } from "node:process";
import { openBundles } from "./bundle.ts";
import { measure } from "./measure.ts";
import { defaultRounds, quickRounds } from "./row.ts";
import { rowsOf } from "./rows.ts";

const [directory = "", name, mode] = argv.slice(2);
const isQuick = mode === "quick";
const row = rowsOf({ ...(await openBundles(directory)), isQuick }).find((each) => each.name === name);
if (row === undefined) throw new Error(`no row is called ${name}`);

const { contestants, close } = await row.open();
const figures = await measure(contestants, {
  rounds: isQuick ? (row.quickRounds ?? quickRounds) : (row.rounds ?? defaultRounds),
  warmUps: row.warmUps ?? 2,
  isSwept: row.isSwept ?? false,
  baseline: row.baseline ?? "floor",
});
await close?.();
// Exits explicitly: a contestant may have left something open.
stdout.write(`${JSON.stringify([...figures])}\n`, () => exit(0));
