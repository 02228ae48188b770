/**
 * Dry run of a release: writes all files of a release to dist/release, twice, to check
 * that the bytes are the same. Publishes nothing.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { defaultTimeSeconds, sumsBelow, writeRelease } from "./release.ts";

const directory = join("dist", "release");

const first = make();
const second = make();
const changed = [...new Set([...first.keys(), ...second.keys()])].filter(
  (name) => first.get(name) !== second.get(name),
);
for (const [name, sum] of second) {
  const size = statSync(join(directory, name)).size;
  process.stdout.write(`${sum.slice(0, 12)}  ${String(size).padStart(8)}  ${join(directory, name)}\n`);
}
if (changed.length > 0) {
  process.stderr.write(`bowline: made again, these came out otherwise: ${changed.join(", ")}\n`);
  process.exit(1);
}
process.stdout.write(`release: ${second.size} files, the same bytes twice\n`);

function make(): ReadonlyMap<string, string> {
  run(process.execPath, "build.mjs");
  mkdirSync(directory, { recursive: true });
  run("npm", "pack", "--silent", "--ignore-scripts", `--pack-destination=${directory}`);
  const { SOURCE_DATE_EPOCH } = process.env;
  writeRelease(directory, {
    program: readFileSync("dist/bowline.mjs"),
    licence: readFileSync("LICENSE"),
    readme: readFileSync("README.md"),
    timeSeconds: SOURCE_DATE_EPOCH === undefined ? defaultTimeSeconds : Number(SOURCE_DATE_EPOCH),
    // npm run release:dry -- <url>
    repository: process.argv[2],
  });
  return sumsBelow(directory);
}

function run(command: string, ...args: readonly string[]): void {
  const isWindows = process.platform === "win32";
  const { status } = spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"], shell: isWindows });
  if (status !== 0) throw new Error(`${command} ${args[0] ?? ""} failed`);
}
