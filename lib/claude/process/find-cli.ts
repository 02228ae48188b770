/**
 * Finds the user's Claude CLI and checks that it can be used.
 *
 * A path named in BOWLINE_CLAUDE or CLAUDE_CODE_EXECUTABLE is used or reported as wrong,
 * never silently skipped. Then PATH is searched, then the directories that installers use.
 * Runs nothing but `claude --version`.
 */
import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";
import { ClaudeNotFound } from "../errors.ts";
import { describeVersion, isOlder, oldestVersion, readVersion, type Version } from "../version.ts";

/** The command that starts the CLI. A JavaScript file is started with the Node that runs us. */
export interface ClaudeCommand {
  readonly command: string;
  /** Arguments that come before the flags. */
  readonly args: readonly string[];
  readonly path: string;
  /** Where it was found: the name of a variable, "PATH" or "usual place". */
  readonly from: string;
}

export interface LocateOptions {
  readonly env?: Environment | undefined;
  readonly home?: string | undefined;
  /** Replaces the list of usual install directories, which are searched last. */
  readonly places?: readonly string[] | undefined;
}

export const howToInstall =
  "install it with `npm install -g @anthropic-ai/claude-code`, or set BOWLINE_CLAUDE to its path";

/** Throws `ClaudeNotFound`. */
export function locateClaude(options: LocateOptions = {}): ClaudeCommand {
  const env = options.env ?? process.env;
  for (const name of ["BOWLINE_CLAUDE", "CLAUDE_CODE_EXECUTABLE"]) {
    const path = env[name];
    if (path === undefined || path === "") continue;
    if (isAbsolute(path) && isUsable(path)) return commandFor(path, name);
    throw new ClaudeNotFound("unusable", `${name} must be the absolute path of the Claude CLI; ${howToInstall}`, path);
  }
  const searched: readonly (readonly [string, string])[] = [
    ...(env["PATH"] ?? env["Path"] ?? "").split(delimiter).map((place) => [place, "PATH"] as const),
    ...(options.places ?? usualPlaces(options.home ?? homedir())).map((place) => [place, "usual place"] as const),
  ];
  for (const [place, from] of searched) {
    // With a relative entry the project's own files would decide which program runs.
    if (!isAbsolute(place)) continue;
    const path = join(place, fileName);
    if (isUsable(path)) return commandFor(path, from);
  }
  throw new ClaudeNotFound("missing", `the Claude CLI was not found; ${howToInstall}`);
}

/** Runs `claude --version`. Throws `ClaudeNotFound` when it fails, prints no version or an old one. */
export async function checkVersion(
  { command, args, path }: ClaudeCommand,
  env: Readonly<Record<string, string>>,
  limitMs: number = defaultVersionLimitMs,
): Promise<Version> {
  const stdoutText = await new Promise<string>((resolve, reject) => {
    const options = { env, timeout: limitMs, killSignal: "SIGKILL", maxBuffer: 64 * 1024, windowsHide: true } as const;
    execFile(command, [...args, "--version"], options, (error, stdout) => {
      if (error === null) return resolve(stdout);
      const why = typeof error.code === "string" ? error.code : `exit code ${error.code ?? "unknown"}`;
      reject(new ClaudeNotFound("unusable", `${path} --version failed (${why}); ${howToInstall}`, path));
    });
  });
  const version = readVersion(stdoutText);
  if (version === undefined)
    throw new ClaudeNotFound("unusable", `${path} is not the Claude CLI; ${howToInstall}`, path);
  if (isOlder(version, oldestVersion)) {
    const text = `the Claude CLI at ${path} is ${describeVersion(version)}; ${describeVersion(oldestVersion)} or newer is needed: run \`claude update\``;
    throw new ClaudeNotFound("too-old", text, path);
  }
  return version;
}

const defaultVersionLimitMs = 15_000;

// Only files that start without a shell; npm's claude.cmd does not.
const fileName = process.platform === "win32" ? "claude.exe" : "claude";

function usualPlaces(home: string): readonly string[] {
  const own = [
    ".local/bin",
    ".claude/local",
    ".claude/local/node_modules/.bin",
    ".npm-global/bin",
    ".bun/bin",
    ".volta/bin",
  ];
  return [...own.map((place) => join(home, place)), "/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"];
}

function commandFor(path: string, from: string): ClaudeCommand {
  return /\.[cm]?js$/.test(path)
    ? { command: process.execPath, args: [path], path, from }
    : { command: path, args: [], path, from };
}

function isUsable(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    accessSync(path, /\.[cm]?js$/.test(path) ? constants.R_OK : constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
