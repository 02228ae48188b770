/**
 * `npm run test:runtimes`: installs the packed tarball in a scratch directory, as a user
 * does, and runs it with several versions of Node, with Bun and with Deno.
 *
 * For each runtime: `--version`, the agent (initialize, session/new and a prompt with a
 * script in place of the Claude CLI), the chat in a pipe, and doctor. With each Node also
 * the same through npx, in an empty project. The runtimes come from npm, outside of the
 * project's dependencies. A runtime that cannot be installed is skipped, with the reason.
 * Also builds the program with each Node and compares the bytes. Prints a table; fails when
 * a step fails.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installed } from "../../support/live/real-cli.ts";
import { driveProgram, writeCli } from "./drive.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

interface Runtime {
  readonly name: string;
  /** The command line before the script. */
  readonly command: () => readonly [string, ...string[]];
}

const nodes = ["20.20.2", "22.23.3", "24.21.0", "26.10.0"];
const platform = `${process.platform}-${process.arch}`;
const runtimes: readonly Runtime[] = [
  ...nodes.map((version): Runtime => {
    const name = `node-${platform}`;
    return { name: `Node ${version}`, command: () => [join(installed(name, version), name, "bin", "node")] };
  }),
  {
    name: "Bun 1.4.4",
    command: () => [join(installed(`@oven/bun-${platform}`, "1.4.4"), "@oven", `bun-${platform}`, "bin", "bun")],
  },
  {
    name: "Deno 2.9.6",
    command: () => {
      const name = `@deno/${platform}${process.platform === "linux" ? "-glibc" : ""}`;
      return [join(installed(name, "2.9.6"), name, "deno"), "run", "--allow-all"];
    },
  },
];

const scratch = mkdtempSync(join(tmpdir(), "bowline-runtimes-"));
try {
  const program = install();
  const cli = writeCli(scratch);
  const rows: string[][] = [];
  for (const runtime of runtimes) rows.push(await tryRuntime(runtime, [program], cli));
  for (const { name, command } of runtimes.filter((runtime) => runtime.name.startsWith("Node")))
    rows.push(await tryRuntime({ name: `npx, ${name}`, command }, npxWords(), cli));
  for (const row of rows) process.stdout.write(`${row.map((cell) => cell.padEnd(18)).join(" ")}\n`);
  const sums = new Set(nodes.map(builtBy));
  const isSame = sums.size === 1;
  process.stdout.write(
    `${isSame ? "ok" : "FAIL"}: the program has the same bytes, built by Node ${nodes.join(", ")}\n`,
  );
  if (!isSame || rows.some((row) => row.some((cell) => cell.startsWith("FAIL")))) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The checksum of the program when this version of Node builds it. */
function builtBy(version: string): string {
  const name = `node-${platform}`;
  const file = join(scratch, `${version}.mjs`);
  execFileSync(join(installed(name, version), name, "bin", "node"), ["build.mjs", "--program", file], { cwd: root });
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

/** Packs the project, installs the tarball globally below the scratch directory, and returns the program. */
function install(): string {
  const npm = (...args: string[]): string =>
    execFileSync("npm", [...args, "--loglevel=error"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  if (!existsSync(join(root, "dist", "lib", "index.js"))) execFileSync(process.execPath, ["build.mjs"], { cwd: root });
  const [packed] = JSON.parse(npm("pack", "--json", "--ignore-scripts", `--pack-destination=${scratch}`));
  const tarball = join(scratch, packed.filename);
  npm("install", "-g", "--prefix", join(scratch, "global"), "--no-audit", "--no-fund", "--offline", tarball);
  writeFileSync(join(scratch, "tarball"), tarball);
  return join(scratch, "global", "lib", "node_modules", "bowline", "dist", "bowline.mjs");
}

/** The script of npx and its words for the tarball; `bowline` and its own words come after them. */
function npxWords(): readonly string[] {
  const modules = execFileSync("npm", ["root", "-g"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  const tarball = readFileSync(join(scratch, "tarball"), "utf8");
  return [join(modules, "npm", "bin", "npx-cli.js"), "--yes", "--offline", "--package", tarball, "bowline"];
}

async function tryRuntime({ name, command }: Runtime, program: readonly string[], cli: string): Promise<string[]> {
  let line: readonly [string, ...string[]];
  try {
    line = command();
  } catch {
    return [name, "skipped: npm could not install it"];
  }
  const home = mkdtempSync(join(scratch, "home-"));
  return [name, ...(await driveProgram([...line, ...program], cli, home))];
}
