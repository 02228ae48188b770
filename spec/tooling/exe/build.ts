/**
 * `npm run build:exe`: builds a single executable from dist/bowline.mjs, with Node inside, and
 * drives it.
 *
 * Uses Node's own format for single executables, which takes an ES module since Node 25.7.
 * The Node comes from npm. Prints the size and the start times. Fails when the executable
 * does not answer as the file does.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installed } from "../../support/live/real-cli.ts";
import { driveProgram, writeCli } from "../runtimes/drive.ts";

const nodeVersion = "26.10.0";
const starts = 7;

const root = fileURLToPath(new URL("../../..", import.meta.url));
const isWindows = process.platform === "win32";
const nodePackage = `node-${isWindows ? "win" : process.platform}-${process.arch}`;
const node = join(installed(nodePackage, nodeVersion), nodePackage, "bin", isWindows ? "node.exe" : "node");
const output = join(root, "dist", "exe", isWindows ? "bowline.exe" : "bowline");
const scratch = mkdtempSync(join(tmpdir(), "bowline-exe-"));
try {
  execFileSync(process.execPath, ["build.mjs"], { cwd: root, stdio: "ignore" });
  mkdirSync(join(root, "dist", "exe"), { recursive: true });
  const config = join(scratch, "sea.json");
  const main = join(root, "dist", "bowline.mjs");
  const options = { main, mainFormat: "module", output, executable: node, disableExperimentalSEAWarning: true };
  writeFileSync(config, JSON.stringify(options));
  execFileSync(node, ["--build-sea", config], { stdio: ["ignore", "ignore", "inherit"] });
  const steps = await driveProgram([output], writeCli(scratch), scratch);
  const megabytes = (statSync(output).size / 1e6).toFixed(1);
  process.stdout.write(`dist/exe/${isWindows ? "bowline.exe" : "bowline"}: ${megabytes} MB, ${steps.join(", ")}\n`);
  const [own, file] = [startMs(output, []), startMs(node, [main])];
  process.stdout.write(`start of --version, median of ${starts}: ${own} ms; the file with the same Node: ${file} ms\n`);
  if (steps.some((step) => step.startsWith("FAIL"))) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function startMs(command: string, args: readonly string[]): number {
  const times = Array.from({ length: starts }, () => {
    const began = performance.now();
    execFileSync(command, [...args, "--version"]);
    return performance.now() - began;
  });
  return Math.round(times.sort((a, b) => a - b)[Math.floor(starts / 2)] ?? 0);
}
