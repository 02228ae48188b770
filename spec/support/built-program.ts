/**
 * Builds `bowline` as it is shipped, once for each state of its sources.
 *
 * The program takes ten times as long to start from its sources, and specs start it
 * often. It runs from its sources only for coverage.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { filesBelow } from "./files.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A directory for this spec file's programs, removed when the spec ends. */
export const programDirectory: string = realpathSync(mkdtempSync(join(tmpdir(), "bowline-programs-")));
process.on("exit", () => rmSync(programDirectory, { recursive: true, force: true }));

/** The single file. */
export const builtProgram: string = join(programDirectory, "bowline.mjs");
copyFileSync(kept(), builtProgram);
copyFileSync(`${kept()}.map`, `${builtProgram}.map`);

/** The arguments with which Node runs the program. */
export const programArgs: readonly string[] =
  process.env["NODE_V8_COVERAGE"] === undefined ? [builtProgram] : ["--import", "tsx", `${root}bin/bowline.ts`];

/** The program built from the current sources; builds of other states are removed. */
function kept(): string {
  const directory = join(root, ".cache", "programs");
  const state = stateOfSources();
  const path = join(directory, `${state}.mjs`);
  if (existsSync(path)) return path;
  mkdirSync(directory, { recursive: true });
  for (const name of readdirSync(directory))
    if (!name.startsWith(state)) rmSync(join(directory, name), { force: true });
  // Several spec files may build it at once: each builds a file of its own and renames it into place.
  const own = `${path}.${process.pid}`;
  execFileSync(process.execPath, [`${root}build.mjs`, "--program", own]);
  renameSync(`${own}.map`, `${path}.map`);
  renameSync(own, path);
  return path;
}

function stateOfSources(): string {
  const hash = createHash("sha256");
  for (const path of [
    "build.mjs",
    "spec/tooling/build/build-lines.mjs",
    "package.json",
    ...filesBelow(["lib", "bin"], ""),
  ]) {
    const { mtimeMs, size } = statSync(join(root, path));
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}
