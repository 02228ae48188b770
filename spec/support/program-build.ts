/**
 * Keeps a build of `bowline` in `.cache/programs`, named after the state of its sources.
 *
 * Several processes may build at once: each builds a file of its own and renames it into
 * place.
 */
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { filesBelow } from "./files.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const directory = join(root, ".cache", "programs");

/** The single file built from the current sources; its source map is beside it. */
export function currentProgram(): string {
  const path = currentPath();
  if (existsSync(path)) return path;
  const { own, args } = newBuild(path);
  execFileSync(process.execPath, args);
  return moved(own, path);
}

/** Builds the program if that is needed, while other work goes on. */
export async function buildCurrentProgram(): Promise<void> {
  const path = currentPath();
  if (existsSync(path)) return;
  const { own, args } = newBuild(path);
  await promisify(execFile)(process.execPath, args);
  moved(own, path);
}

/** Removes the builds of other states. */
function newBuild(path: string): { readonly own: string; readonly args: string[] } {
  mkdirSync(directory, { recursive: true });
  for (const name of readdirSync(directory))
    if (!join(directory, name).startsWith(path)) rmSync(join(directory, name), { force: true });
  const own = `${path}.${process.pid}`;
  return { own, args: [`${root}build.mjs`, "--program", own] };
}

function moved(own: string, path: string): string {
  renameSync(`${own}.map`, `${path}.map`);
  renameSync(own, path);
  return path;
}

function currentPath(): string {
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
  return join(directory, `${hash.digest("hex").slice(0, 16)}.mjs`);
}
