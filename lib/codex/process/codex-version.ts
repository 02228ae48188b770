/**
 * Reads the version of the Codex CLI from `codex --version`.
 */
import { execFile } from "node:child_process";
import { type Environment, inheritedEnvironment } from "../../process/index.ts";
import type { CodexCommand } from "./find-codex.ts";

const versionLimitMs = 15_000;

/** Runs `codex --version`; undefined when it fails, takes too long or prints no version. */
export function codexVersion({ command, args }: CodexCommand, env: Environment): Promise<string | undefined> {
  const options = {
    env: Object.fromEntries(inheritedEnvironment(env)),
    timeout: versionLimitMs,
    killSignal: "SIGKILL",
    maxBuffer: 64 * 1024,
    windowsHide: true,
  } as const;
  return new Promise((resolve) => {
    execFile(command, [...args, "--version"], options, (_error, stdout) => resolve(readCodexVersion(stdout)));
  });
}

/** The version in the output of `codex --version`, such as `codex-cli 0.166.0`. */
export function readCodexVersion(output: string): string | undefined {
  return /\bcodex\S* (\d+\.\d+\.\d+\S*)/.exec(output)?.[1];
}
