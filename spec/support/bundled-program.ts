/**
 * Bundles a program that a spec starts.
 *
 * With tsx a program takes about a second of processor time to start, because its modules
 * are loaded one by one; specs start programs often.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { originalPaths } from "./runner/bundle-specs.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Below the root, so that packages are found. Removed when the spec ends. */
const directory = join(root, ".cache", "spec-programs", String(process.pid));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

let count = 0;

/** The path of the bundle of a module, given by its path or as code whose imports are relative to the root. */
export async function bundledProgram(source: string | { readonly code: string }): Promise<string> {
  const outfile = join(directory, `${++count}.mjs`);
  await build({
    absWorkingDir: root,
    ...(typeof source === "string"
      ? { entryPoints: [source] }
      : { stdin: { contents: source.code, resolveDir: root, loader: "ts" } }),
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
    plugins: [originalPaths()],
  });
  return outfile;
}
