/**
 * `npm test [-- --again] [word...]`: runs the specs; words select them by path. Those of
 * support/runner/spec-sets.ts run with `npm run test:browser` (`--browser`) and `npm run
 * test:slow` (`--slow`), or when words select them. With `--again` the files in which a test failed get one more run, alone, and only what fails
 * twice is a failure: many specs wait for programs, and a machine may be busy.
 *
 * The specs are bundled first, with their common code in shared chunks: loading modules
 * one by one would cost each process half a second. Small specs share processes
 * (support/runner/spec-groups.ts). `node --import tsx --test <spec>` runs one spec as
 * quickly. A test that hangs fails after two minutes (support/runner/hang-watchdog.ts). At
 * the end the slowest spec files are named.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { filesBelow, readText } from "./support/files.ts";
import { buildCurrentProgram } from "./support/program-build.ts";
import { setOf } from "./support/runner/spec-sets.ts";
import { bundleSpecs } from "./support/runner/bundle-specs.ts";
import { runDirectory } from "./support/runner/run-directory.ts";
import { groupSpecs, type SpecGroup } from "./support/runner/spec-groups.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** More than there are cores: many specs wait for programs they have started. */
const concurrency = 2 * availableParallelism();

const isRepeated = process.argv.includes("--again");
const set = (["browser", "slow"] as const).find((name) => process.argv.includes(`--${name}`));
const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const specs = filesBelow(["spec"], ".spec.ts").filter((path) =>
  words.length === 0 ? setOf(path) === set : words.some((word) => path.includes(word)),
);
if (specs.length === 0) {
  process.stderr.write(`no spec has ${words.join(" or ")} in its path\n`);
  process.exit(2);
}

const reporters = ["spec/support/runner/slowest-files.ts", "spec/support/runner/failed-files.ts"] as const;
const watchdog = "spec/support/runner/hang-watchdog.ts";
const bundled = runDirectory(root);
const [metafile] = await Promise.all([
  bundleSpecs({ root, specs: [...specs, ...reporters, watchdog], outdir: bundled }),
  words.length === 0 && buildCurrentProgram(),
]);
if ("spec/support/built-program.ts" in metafile.inputs) await buildCurrentProgram();

const failed = await run(groupSpecs({ specs, metafile, readText }), concurrency);
if (failed.length > 0 && isRepeated) {
  process.stdout.write(`\n== once more, alone: ${failed.join(", ")}\n`);
  process.exitCode =
    (
      await run(
        failed.map((path) => ({ specs: [path] })),
        1,
      )
    ).length > 0
      ? 1
      : 0;
} else process.exitCode = failed.length > 0 ? 1 : 0;

/** Runs specs and returns those in which a test failed. */
async function run(groups: readonly SpecGroup[], atOnce: number): Promise<readonly string[]> {
  const [slowest, failures] = reporters.map(bundleOf);
  const list = join(bundled, "failed.txt");
  const entries = entryPoints(groups);
  const args = [
    "--enable-source-maps",
    "--test",
    `--test-concurrency=${atOnce}`,
    "--test-reporter=tap",
    "--test-reporter-destination=stdout",
    `--test-reporter=${slowest}`,
    "--test-reporter-destination=stdout",
    `--test-reporter=${failures}`,
    `--test-reporter-destination=${list}`,
    ...entries.keys(),
  ];
  rmSync(list, { force: true });
  const [code] = await once(spawn(process.execPath, args, { stdio: "inherit", cwd: root }), "exit");
  const named = existsSync(list) ? readFileSync(list, "utf8").split("\n") : [];
  // A process that failed as a whole is a failure of each of its specs.
  const ended = [...entries].flatMap(([path, paths]) =>
    named.some((one) => basename(one) === basename(path)) ? paths : [],
  );
  const known = specs.filter((path) => named.includes(path) || ended.includes(path));
  // A failure that names no file of ours is one of every file.
  return code === 0 || known.length > 0 ? known : groups.flatMap((group) => group.specs);
}

/** The modules that the processes run, and the specs that each imports. The runner sorts them by name, so each has a number. */
function entryPoints(groups: readonly SpecGroup[]): ReadonlyMap<string, readonly string[]> {
  const directory = join(bundled, "processes");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  return new Map(
    groups.map(({ specs: paths }, i) => {
      const path = join(directory, `${String(i).padStart(4, "0")}.mjs`);
      const imports = [watchdog, ...paths].map(
        (one) => `import ${JSON.stringify(pathToFileURL(bundleOf(one)).href)};\n`,
      );
      writeFileSync(path, imports.join(""));
      return [path, paths];
    }),
  );
}

function bundleOf(path: string): string {
  return join(bundled, path.replace(/\.ts$/, ".mjs"));
}
