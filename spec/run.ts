/**
 * `npm test [-- --again] [word...]`: runs the specs; words select them by path. Those
 * that start a browser run with `npm run test:browser`, or when words select them. With
 * `--again` the files in which a test failed get one more run, alone, and only what fails
 * twice is a failure: many specs wait for programs, and a machine may be busy.
 *
 * The specs are bundled first, with their common code in shared chunks: loading modules
 * one by one would cost each process half a second. Small specs share processes
 * (support/runner/spec-groups.ts). `node --import tsx --test <spec>` runs one spec as
 * quickly. At the end the slowest spec files are named.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { browserSpecs } from "./support/runner/browser-specs.ts";
import { bundleSpecs } from "./support/runner/bundle-specs.ts";
import { filesBelow, readText } from "./support/files.ts";
import { groupSpecs, type SpecGroup } from "./support/runner/spec-groups.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const bundled = join(root, ".cache", "specs");
/** More than there are cores: many specs wait for programs they have started. */
const concurrency = 4;

const isRepeated = process.argv.includes("--again");
const isBrowserRun = process.argv.includes("--browser");
const words = process.argv.slice(2).filter((word) => word !== "--again" && word !== "--browser");
const specs = filesBelow(["spec"], ".spec.ts").filter((path) =>
  words.length === 0 ? browserSpecs.includes(path) === isBrowserRun : words.some((word) => path.includes(word)),
);
if (specs.length === 0) {
  process.stderr.write(`no spec has ${words.join(" or ")} in its path\n`);
  process.exit(2);
}

const reporters = ["spec/support/runner/slowest-files.ts", "spec/support/runner/failed-files.ts"] as const;
const metafile = await bundleSpecs({ root, specs: [...specs, ...reporters], outdir: bundled });

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
    ...groups.map(entryPointOf),
  ];
  rmSync(list, { force: true });
  const [code] = await once(spawn(process.execPath, args, { stdio: "inherit", cwd: root }), "exit");
  const named = existsSync(list) ? readFileSync(list, "utf8").split("\n") : [];
  const known = specs.filter((path) => named.includes(path));
  // A failure that names no file of ours is one of every file.
  return code === 0 || known.length > 0 ? known : groups.flatMap((group) => group.specs);
}

/** The bundle of a single spec, or a module that imports the bundles of a group. */
function entryPointOf({ specs: paths }: SpecGroup): string {
  const [first = "", ...others] = paths;
  if (others.length === 0) return bundleOf(first);
  const path = bundleOf(first).replace(/\.mjs$/, ".group.mjs");
  writeFileSync(path, paths.map((one) => `import ${JSON.stringify(pathToFileURL(bundleOf(one)).href)};\n`).join(""));
  return path;
}

function bundleOf(path: string): string {
  return join(bundled, path.replace(/\.ts$/, ".mjs"));
}
