/**
 * Coverage: how much of lib/ the specs run, measured by Node.
 *
 * Node 20 counts the lines of what it runs, and tsx runs everything as one line, so the
 * sources are first emitted as plain JavaScript, line for line. Prints a row for each
 * file and fails below the minimum.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { resolve } from "node:path";
import { filesBelow } from "../../support/files.ts";

const minLinePercent = 95;
/** Specs that start programs and browsers of their own, or read the sources as text. */
const left = new RegExp(
  [
    "^spec/(?:architecture|library-docs|promises|readme|interop|tooling|live|bin|fuzz)",
    "^spec/(?:wire/stdio-link|wire/shutdown|rpc/hostile-bytes|claude/engine/disk-faults|bridge/(?:docs|many-sessions)|packets/docs|serve/page|serve/docs)",
    "^spec/program/(?:help|protocol-stdout|terminal-escapes|chat/frontend/(?:pipe|terminal)|demo|serve|tapes/(?:tap|replay|record)|inspect/(?:inspect|page/inspect)|doctor|packets/packet-filter|completion|commands/zed|check/(?:agents|docs))",
  ].join("|"),
);
const out = ".cache/coverage";

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
node("node_modules/typescript/bin/tsc", "--declaration", "false", "--emitDeclarationOnly", "false", "--outDir", out);
for (const path of ["package.json", "build.mjs", "spec/tooling/build/build-lines.mjs"]) cpSync(path, `${out}/${path}`);
if (existsSync("fixtures")) cpSync("fixtures", `${out}/fixtures`, { recursive: true });
for (const kind of [".html", ".css", ".js", ".cjs", ".ndjson"]) {
  for (const path of filesBelow(["lib"], kind)) cpSync(path, `${out}/${path}`);
}
symlinkSync(resolve("node_modules"), `${out}/node_modules`);

const specs = filesBelow(["spec"], ".spec.ts").filter((path) => !left.test(path));
const emitted = specs.map((path) => `${out}/${path.replace(/ts$/, "js")}`);
const report = node("--test", "--experimental-test-coverage", "--test-reporter=tap", ...emitted);

let lines = 0;
let covered = 0;
for (const [, path, percent] of report.matchAll(/^# \S*?(lib\/\S+\.js)\s*\|\s*([\d.]+)\s*\|/gm)) {
  const length = readFileSync(`${out}/${path}`, "utf8").split("\n").length;
  lines += length;
  covered += (length * Number(percent)) / 100;
  process.stdout.write(`${String(path).padEnd(36)} ${String(percent).padStart(6)} % of lines\n`);
}
const total = (100 * covered) / lines;
process.stdout.write(
  `${"all of lib/".padEnd(36)} ${total.toFixed(2).padStart(6)} % of lines, the floor is ${minLinePercent}\n`,
);
if (!(total >= minLinePercent)) process.exitCode = 1;

function node(...args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 28 });
  if (status === 0) return stdout;
  const failed = stdout.split("\n").filter((line) => /^\s*not ok|^\s+error: /.test(line));
  process.stderr.write(`${failed.join("\n")}\n${stderr.slice(-2000)}`);
  process.exit(1);
}
