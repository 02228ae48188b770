/**
 * Finds the user's Codex CLI.
 *
 * A path named in CODEX_EXECUTABLE or CODEX_PATH is used or reported as wrong, never
 * silently skipped. Then PATH is searched, then the directories that installers use.
 * npm installs a launcher script, which is replaced by the binary that it would start:
 * that saves a Node process. Runs nothing.
 */
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { EngineFailure } from "../../engine/index.ts";
import { type Environment, findExecutable, isNodeScript, isUsableProgram } from "../../process/index.ts";
import { nodeProgram } from "../../wire/index.ts";
import { codexExecutable } from "../setup/index.ts";

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
  const found = findExecutable(codexExecutable, { ...options, env: options.env ?? process.env });
  if (found.kind === "found") return commandFor(found.path, found.from);
  const text =
    found.kind === "missing"
      ? `the Codex CLI was not found; ${howToInstallCodex}`
      : `${found.variable} ${found.why}; set it to the path of the Codex CLI, or unset it to search PATH`;
  throw new EngineFailure("not_found", text);
}

function commandFor(path: string, from: string): CodexCommand {
  const script = realpathSync(path);
  if (!isNodeScript(script)) return { command: path, args: [], path, from };
  const binary = binariesOf(dirname(dirname(script))).find(isUsableProgram);
  return binary === undefined
    ? { command: nodeProgram(), args: [script], path, from }
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
