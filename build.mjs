/**
 * Build: the sources into what is shipped.
 *
 * `node build.mjs` makes the library bundle, the single-file program and the
 * declarations, prints their sizes, and fails past the budget in package.json.
 * `node build.mjs --install` only sees to it that the development tools are
 * there, so that `npm start` and `npm test` work on a fresh clone.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL(".", import.meta.url));
process.chdir(root);
const { budget, engines } = JSON.parse(readFileSync("package.json", "utf8"));

install();
if (!process.argv.includes("--install")) await build();

/** Installs the development tools when they are missing or older than the lock file. */
function install() {
  const stamp = "node_modules/.package-lock.json";
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= statSync("package-lock.json").mtimeMs) return;
  process.stderr.write("bowline: installing the development tools, this happens once...\n");
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
}

async function build() {
  const esbuild = await import("esbuild");
  rmSync("dist", { recursive: true, force: true });
  const common = {
    bundle: true,
    platform: "node",
    format: "esm",
    target: `node${engines.node.replace(/\D/g, "")}`,
    legalComments: "none",
    logLevel: "warning",
  };
  await esbuild.build({ ...common, entryPoints: ["lib/index.ts"], outfile: "dist/index.js" });
  await esbuild.build({ ...common, entryPoints: ["bin/bowline.ts"], outfile: "dist/bowline.mjs", minify: true });
  run(process.execPath, ["node_modules/typescript/bin/tsc", "--project", "tsconfig.json"]);
  for (const room of ["bin", "spec"]) rmSync(`dist/types/${room}`, { recursive: true, force: true });
  let isOver = false;
  for (const [file, limit] of Object.entries(budget)) {
    const { size } = statSync(file);
    isOver ||= size > limit;
    process.stdout.write(
      `${file.padEnd(20)} ${String(size).padStart(7)} bytes of ${limit}${size > limit ? "  OVER BUDGET" : ""}\n`,
    );
  }
  if (isOver) process.exit(1);
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (error !== undefined) process.stderr.write(`bowline: could not run ${command}: ${error.message}\n`);
  if (status !== 0) process.exit(status ?? 1);
}
