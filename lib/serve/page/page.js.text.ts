/**
 * The script of the web page: page.js and the modules it imports, bundled into one script by esbuild.
 *
 * In the built program, build.mjs has replaced this module with the script. When Bowline runs
 * from its sources, this module runs build.mjs to bundle the script, at the first call.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const build = fileURLToPath(new URL("../../../build.mjs", import.meta.url));
const entry = fileURLToPath(new URL("./page.js", import.meta.url));
let script: string | undefined;

export default function text(): string {
  return (script ??= execFileSync(process.execPath, [build, "--script", entry], { encoding: "utf8" }));
}
