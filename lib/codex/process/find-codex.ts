/**
 * Finds the user's Codex CLI.
 *
 * A path named in CODEX_EXECUTABLE or CODEX_PATH is used or reported as wrong, never
 * silently skipped. Then PATH is searched, then the directories that installers use.
 * npm installs a launcher script, which is replaced by the binary that it would start:
 * that saves a Node process. Runs nothing.
 */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { EngineFailure } from "../../engine/index.ts";
import type { Environment } from "../../process/index.ts";

/** The command that starts Codex. A JavaScript file is started with the Node that runs us. */
export interface CodexCommand {
  readonly command: string;
  /** Arguments that come before the subcommand. */
  readonly args: readonly string[];
  readonly path: string;
  /** Where it was found: the name of a variable, "PATH" or "usual place". */
  readonly from: string;
}

export interface LocateCodexOptions {
  readonly env?: Environment | undefined;
  readonly home?: string | undefined;
  /** Replaces the list of usual install directories, which are searched last. */
  readonly places?: readonly string[] | undefined;
}

export const howToInstallCodex = "install it with `npm install -g @openai/codex`, or set CODEX_EXECUTABLE to its path";

/** Throws an `EngineFailure` of kind `not_found`. */
export function locateCodex(options: LocateCodexOptions = {}): CodexCommand {
  const env = options.env ?? process.env;
  for (const name of ["CODEX_EXECUTABLE", "CODEX_PATH"]) {
    const path = env[name];
    if (path === undefined || path === "") continue;
    if (isAbsolute(path) && isUsable(path)) return commandFor(path, name);
    throw new EngineFailure("not_found", `${name} must be the absolute path of the Codex CLI; ${howToInstallCodex}`);
  }
  const searched: readonly (readonly [string, string])[] = [
    ...(env["PATH"] ?? env["Path"] ?? "").split(delimiter).map((place) => [place, "PATH"] as const),
    ...(options.places ?? usualPlaces(options.home ?? homedir())).map((place) => [place, "usual place"] as const),
  ];
  for (const [place, from] of searched) {
    // With a relative entry the project's own files would decide which program runs.
    if (!isAbsolute(place)) continue;
    const path = fileNames.map((name) => join(place, name)).find(isUsable);
    if (path !== undefined) return commandFor(path, from);
  }
  throw new EngineFailure("not_found", `the Codex CLI was not found; ${howToInstallCodex}`);
}

/** On Windows npm writes `codex.cmd` beside the package; a `.cmd` file needs a shell, so the package's script is taken. */
const fileNames: readonly string[] =
  process.platform === "win32" ? ["codex.exe", join("node_modules", "@openai", "codex", "bin", "codex.js")] : ["codex"];

function usualPlaces(home: string): readonly string[] {
  const own = [".local/bin", ".npm-global/bin", ".bun/bin", ".volta/bin", ".codex/bin"];
  return [...own.map((place) => join(home, place)), "/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"];
}

function commandFor(path: string, from: string): CodexCommand {
  const script = realpathSync(path);
  if (!isScript(script)) return { command: path, args: [], path, from };
  const binary = binariesOf(dirname(dirname(script))).find(isUsable);
  return binary === undefined
    ? { command: process.execPath, args: [script], path, from }
    : { command: binary, args: [], path: binary, from };
}

/** The places where the binary of an npm package may lie. `root` is the directory of `@openai/codex`. */
function binariesOf(root: string): readonly string[] {
  const triple = triples[`${process.platform}-${process.arch}`];
  if (triple === undefined) return [];
  const platformPackage = `codex-${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "codex.exe" : "codex";
  return [join(dirname(root), platformPackage), join(root, "node_modules", "@openai", platformPackage), root].map(
    (place) => join(place, "vendor", triple, "bin", file),
  );
}

const triples: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
  "win32-x64": "x86_64-pc-windows-msvc",
  "win32-arm64": "aarch64-pc-windows-msvc",
};

function isScript(path: string): boolean {
  return /\.[cm]?js$/.test(path);
}

function isUsable(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    accessSync(path, isScript(path) ? constants.R_OK : constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
