/**
 * Mutation testing: `npm run mutate -- [--seed n] [--module m] [--again]` checks whether
 * the specs notice faults.
 *
 * Each chosen fault is made in a copy of the tree, and the module's own specs are run
 * until one fails; for the translator the replayed recordings come last. Prints a row
 * for each fault and the rate, and exits with 1 below 90 %. Results are kept in
 * .cache/mutation.json: an interrupted run continues, and `--again` runs only the
 * surviving mutants.
 */
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { filesBelow, readText } from "../../support/files.ts";
import { chosen, moduleShares } from "./choice.ts";
import { equivalents } from "./equivalent.ts";
import type { Mutant } from "./mutants.ts";

const wantedRate = 0.9;
/** A mutant that takes so much longer than the original hangs. */
const patience = 3;
const leastLimitMs = 30_000;

const root = join(import.meta.dirname, "../../..");
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "4711" },
    module: { type: "string" },
    again: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});

type Verdict =
  | { readonly kind: "caught"; readonly by: string }
  | { readonly kind: "survived" }
  | { readonly kind: "equivalent"; readonly why: string };

const shares = values.module === undefined ? moduleShares : { [values.module]: moduleShares[values.module] ?? 40 };
const mutants = chosen(Number(values.seed), shares);
if (values.list) {
  for (const one of mutants) process.stdout.write(`${describe(one)}\n`);
  process.exit(0);
}

const cacheFile = join(root, ".cache/mutation.json");
const known: Record<string, Verdict> = existsSync(cacheFile) ? JSON.parse(readFileSync(cacheFile, "utf8")) : {};
const copy = mkdtempSync(join(tmpdir(), "bowline-mutation-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));
for (const part of ["lib", "spec", "fixtures", "docs", "bin", "package.json", "tsconfig.json", "CHANGELOG.md"]) {
  if (existsSync(join(root, part))) cpSync(join(root, part), join(copy, part), { recursive: true });
}
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));

const limits = new Map<string, number>();
const verdicts: (readonly [Mutant, Verdict])[] = [];
for (const [i, mutant] of mutants.entries()) {
  const verdict = judged(mutant);
  verdicts.push([mutant, verdict]);
  const shown =
    verdict.kind === "caught"
      ? `caught by ${verdict.by}`
      : verdict.kind === "survived"
        ? "SURVIVED"
        : `equivalent: ${verdict.why}`;
  process.stdout.write(`${String(i + 1).padStart(3)}/${mutants.length} ${describe(mutant)}\n      ${shown}\n`);
}
report();

function judged(mutant: Mutant): Verdict {
  const { file, operator, before: line, after } = mutant;
  const same = equivalents.find(
    (one) => one.file === file && one.operator === operator && one.after === after && (one.before ?? line) === line,
  );
  if (same !== undefined) return { kind: "equivalent", why: same.why };
  const key = keyOf(mutant);
  const before = known[key];
  if (before !== undefined && !(values.again && before.kind === "survived")) return before;
  const verdict = tried(mutant);
  known[key] = verdict;
  mkdirSync(dirname(cacheFile), { recursive: true });
  writeFileSync(cacheFile, JSON.stringify(known, null, 1));
  return verdict;
}

function tried(mutant: Mutant): Verdict {
  const batches = batchesFor(mutant.file);
  for (const batch of batches) if (!limits.has(batch.join())) limits.set(batch.join(), timeOf(batch));
  const place = join(copy, mutant.file);
  const original = readFileSync(place, "utf8");
  writeFileSync(place, mutant.source);
  try {
    for (const batch of batches) {
      const { stdout, error } = runSpecs(batch, limits.get(batch.join()) ?? leastLimitMs);
      const [, by] = /^failed: (.*)$/m.exec(stdout) ?? [];
      if (by !== undefined) return { kind: "caught", by };
      if (error !== undefined) return { kind: "caught", by: "(it hangs)" };
      if (!/^done$/m.test(stdout)) return { kind: "caught", by: "(it does not even start)" };
    }
    return { kind: "survived" };
  } finally {
    writeFileSync(place, original);
  }
}

/** The module's own specs, those named after the file first. Specs of processes are slow, and are run only for their own file. */
function batchesFor(file: string): readonly (readonly string[])[] {
  const module = Object.keys(moduleShares).find((name) => file.startsWith(`lib/${name}/`)) ?? file.split("/")[1] ?? "";
  const stem = basename(file, ".ts");
  const own = filesBelow([`spec/${module}`], ".spec.ts").filter(
    (spec) => !spec.includes("/child-link") || stem === "child-link" || stem === "stream-link",
  );
  const first = own.filter((spec) => basename(spec).startsWith(stem));
  const ordered = [...first, ...own.filter((spec) => !first.includes(spec))];
  return module === "claude/translate" ? [ordered, filesBelow(["spec/replay"], ".spec.ts")] : [ordered];
}

/** The time limit of the specs: the original's time, plus a margin. Fails when the specs fail without a fault. */
function timeOf(specs: readonly string[]): number {
  const began = performance.now();
  const { stdout, stderr } = runSpecs(specs, 10 * 60_000);
  if (!/^done$/m.test(stdout)) throw new Error(`the specs fail without a fault: ${stdout}${stderr}`);
  return Math.max(leastLimitMs, Math.round(patience * (performance.now() - began)));
}

function runSpecs(specs: readonly string[], timeout: number): SpawnSyncReturns<string> {
  const reporter = join(copy, "spec/tooling/mutation/first-failure.ts");
  return spawnSync(
    process.execPath,
    [
      "--import",
      "tsx",
      `--test-reporter=${reporter}`,
      "--test-reporter-destination=stdout",
      join(copy, "spec/tooling/mutation/run-specs.ts"),
      ...specs.map((spec) => join(copy, spec)),
    ],
    { cwd: copy, encoding: "utf8", timeout, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 },
  );
}

function report(): void {
  const counted = verdicts.filter(([, { kind }]) => kind !== "equivalent");
  const rate = (module: string): string => {
    const ours = counted.filter(([{ file }]) => file.startsWith(`lib/${module}`));
    const caught = ours.filter(([, { kind }]) => kind === "caught").length;
    return `${caught} of ${ours.length} (${((100 * caught) / Math.max(1, ours.length)).toFixed(1)} %)`;
  };
  const survivors = counted.filter(([, { kind }]) => kind === "survived");
  process.stdout.write(`\n${survivors.length} survived\n`);
  for (const [mutant] of survivors) process.stdout.write(`  ${describe(mutant)}\n`);
  for (const module of Object.keys(shares)) process.stdout.write(`${module.padEnd(16)} ${rate(module)}\n`);
  process.stdout.write(`${"all".padEnd(16)} ${rate("")}, ${verdicts.length - counted.length} equivalent left out\n`);
  process.exitCode = 1 - survivors.length / counted.length < wantedRate ? 1 : 0;
}

/** The same fault in the same source, whatever else has changed but the specs. */
function keyOf({ file, line, operator, after }: Mutant): string {
  const source = createHash("sha256").update(readText(file)).digest("hex").slice(0, 12);
  return `${file}:${line} ${operator} ${after} ${source}`;
}

function describe({ file, line, operator, before, after }: Mutant): string {
  return `${file}:${line} ${operator}: ${before} → ${after === "" ? "(nothing)" : after}`;
}
