/**
 * Fuzzing for any length of time: `npm run fuzz -- --minutes 10 [--seed n] [name...]`.
 *
 * Every campaign of spec/fuzz gets its share of the time, one after the other, with a
 * seed that is printed at the start. Exits with 1 when a campaign failed; its output
 * says how to repeat the case.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string", default: "10" }, seed: { type: "string" } },
});
const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31));
const directory = join(import.meta.dirname, "../../fuzz");
const specs = readdirSync(directory)
  .filter((name) => name.endsWith(".spec.ts"))
  .filter((name) => positionals.length === 0 || positionals.some((wanted) => name.includes(wanted)));

/** How many campaigns a spec has; they run one after the other. */
const campaigns: Readonly<Record<string, number>> = {
  "agent.spec.ts": 2,
  "fold.spec.ts": 4,
  "memory.spec.ts": 0,
  "recordings.spec.ts": 2,
  "two-engines.spec.ts": 1,
};
const shares = specs.reduce((sum, name) => sum + (campaigns[name] ?? 1), 0);
const minutes = Number(values.minutes) / Math.max(1, shares);
process.stdout.write(`fuzz: seed ${seed}, ${minutes.toFixed(2)} minutes for each of ${shares} campaigns\n`);

let code = 0;
for (const name of specs) {
  const file = relative(process.cwd(), join(directory, name));
  const { status } = spawnSync(process.execPath, ["--import", "tsx", "--test", "--test-reporter=spec", file], {
    stdio: "inherit",
    env: { ...process.env, BOWLINE_SEED: seed, BOWLINE_FUZZ_MINUTES: String(minutes) },
  });
  if (status !== 0) code = 1;
}
process.exit(code);
