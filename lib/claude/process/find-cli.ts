/**
 * Finds the user's Claude CLI and checks that it can be used.
 *
 * A path named in BOWLINE_CLAUDE or CLAUDE_CODE_EXECUTABLE is used or reported as wrong,
 * never silently skipped. Then PATH is searched, then the directories that installers use.
 * Runs nothing but `claude --version`.
 */
import { execFile } from "node:child_process";
import { findExecutable, isNodeScript } from "../../process/index.ts";
import { nodeProgram } from "../../wire/index.ts";
import { claudeExecutable } from "../setup/index.ts";
import type { Environment } from "./environment.ts";
import { ClaudeNotFound } from "../errors.ts";
import { describeVersion, isOlder, minimumVersion, readVersion, type Version } from "../version.ts";

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
  const found = findExecutable(claudeExecutable, { ...options, env: options.env ?? process.env });
  if (found.kind === "found") return commandFor(found.path, found.from);
  if (found.kind === "missing") throw new ClaudeNotFound("missing", `the Claude CLI was not found; ${howToInstall}`);
  const { variable, path, why } = found;
  const text = `${variable} ${why}; set it to the path of the Claude CLI, or unset it to search PATH`;
  throw new ClaudeNotFound("unusable", text, path);
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
  if (isOlder(version, minimumVersion)) {
    const text = `the Claude CLI at ${path} is ${describeVersion(version)}; ${describeVersion(minimumVersion)} or newer is needed: run \`claude update\``;
    throw new ClaudeNotFound("too-old", text, path);
  }
  return version;
}

const defaultVersionLimitMs = 15_000;

function commandFor(path: string, from: string): ClaudeCommand {
  return isNodeScript(path)
    ? { command: nodeProgram(), args: [path], path, from }
    : { command: path, args: [], path, from };
}
