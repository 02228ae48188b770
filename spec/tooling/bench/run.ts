/**
 * The bench: `npm run bench [-- --quick] [word...]` measures and prints the table.
 *
 * Words select rows by name. Each row has a process of its own, in which its contestants
 * alternate. Ratios compare within this run only; the floor is 1.00. A missed target is
 * marked in the table and is no failure, because machines differ. A row that cannot be
 * measured is named after the table, and the exit code is 1; the other rows are printed.
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { makeBundles, openBundles } from "./bundle.ts";
import type { ContestantName, Figure, Figures } from "./measure.ts";
import { defaultRounds, type Outcome, quickRounds, type Row } from "./row.ts";
import { rowsOf } from "./rows.ts";
import { table } from "./table.ts";

const words = process.argv.slice(2);
const isQuick = words.includes("--quick");
const filters = words.filter((word) => word !== "--quick");

const directory = await makeBundles();
try {
  const started = performance.now();
  const outcomes: Outcome[] = [];
  const unmeasured: string[] = [];
  for (const row of rowsOf({ ...(await openBundles(directory)), isQuick })) {
    if (filters.length > 0 && !filters.some((word) => row.name.includes(word))) continue;
    process.stderr.write(`${row.name}\n`);
    const figures = figuresOf(row);
    if (figures === undefined) unmeasured.push(row.name);
    else outcomes.push({ row, figures });
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`${table(outcomes)}\n\n${statement(seconds)}\n`);
  for (const name of unmeasured) process.stdout.write(`Not measured: ${name}\n`);
  if (unmeasured.length > 0) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** The figures of a row; undefined when its process failed, which says why on standard error. */
function figuresOf({ name, isOnOneCore = false }: Row): Figures | undefined {
  const program = fileURLToPath(new URL("run-row.ts", import.meta.url));
  const node = [process.execPath, "--import", "tsx", program, directory, name, isQuick ? "quick" : "full"];
  const [command = "", ...args] = isOnOneCore ? [...onOneCore(), ...node] : node;
  const { status, stdout } = spawnSync(command, args, { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });
  if (status !== 0) return undefined;
  return new Map(JSON.parse(stdout) as [ContestantName, Figure][]);
}

/** The command that pins a program and its children to one core; nothing where the system has none. */
function onOneCore(): readonly string[] {
  const words = ["taskset", "--cpu-list", "0"];
  return spawnSync("taskset", ["--cpu-list", "0", "true"]).status === 0 ? words : [];
}

/** What the figures depend on and what they count, without naming the machine. */
function statement(seconds: number): string {
  const rounds = `${isQuick ? quickRounds : defaultRounds} rounds, or as many as the row needs`;
  return [
    `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores; ` +
      `medians of ${rounds}, interleaved; ${seconds} s${isQuick ? ", quick" : ""}.`,
    "Ratios are to the floor in the same round. Where the target is >=, more is better; where it is <=, less.",
    "Decode, encode, schema, sessions and growth count the process's CPU time; round trip (on one core) and start-up the clock.",
  ].join("\n");
}
