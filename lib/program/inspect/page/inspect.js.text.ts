/**
 * The script of the inspector's page: inspect.js and the modules it imports, bundled into one script by esbuild.
 *
 * build.mjs replaces this module with the script. From the sources, build.mjs bundles the
 * script when a page first needs it.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const build = fileURLToPath(new URL("../../../../build.mjs", import.meta.url));
const entry = fileURLToPath(new URL("./inspect.js", import.meta.url));
let script: string | undefined;

export default function text(): string {
  return (script ??= execFileSync(process.execPath, [build, "--script", entry], { encoding: "utf8" }));
}
