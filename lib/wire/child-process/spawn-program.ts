/**
 * Starts a program with pipes, without a shell, on every system.
 *
 * On Windows the program behind a command is found first (see windows-program.ts), because
 * Windows itself starts no batch files and would search the working directory.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { windowsProgram, type WindowsProgram } from "./windows-program.ts";

export interface SpawnOptions {
  readonly cwd?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** Throws an `Error` with a code, or returns a child that emits one as an "error" event. */
export function spawnProgram(
  command: string,
  args: readonly string[],
  { cwd, env }: SpawnOptions = {},
): ChildProcessWithoutNullStreams {
  const program: WindowsProgram =
    process.platform === "win32" ? windowsProgram(command, args, env ?? process.env, cwd) : { command, args };
  if ("failure" in program) throw Object.assign(new Error(program.failure), { code: program.failure });
  return spawn(program.command, program.args, {
    stdio: ["pipe", "pipe", "pipe"],
    cwd,
    env,
    shell: false,
    windowsHide: true,
    windowsVerbatimArguments: program.isVerbatim === true,
  });
}
