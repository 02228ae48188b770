/**
 * Runs a program over pipes, to its end.
 */
import { spawn } from "node:child_process";

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Its input stays open. */
  readonly keepsInput?: boolean;
  /** Nothing of our own environment is handed on. */
  readonly isAlone?: boolean;
}

/** Runs a command over pipes, to its end. */
export function runPlain([command = "", ...args]: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { input = "", env = {}, cwd, keepsInput = false, isAlone = false } = options;
  const own = { ...(isAlone ? {} : process.env), NO_COLOR: undefined, FORCE_COLOR: undefined, ...env };
  const child = spawn(command, args, { cwd, env: own, stdio: "pipe" });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => {});
  child.stdin.write(input);
  if (!keepsInput) child.stdin.end();
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
