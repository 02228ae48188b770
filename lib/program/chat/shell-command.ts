/**
 * Runs a command that the user typed after `!` in the user's own shell.
 *
 * The output is kept up to a limit, its end first; the agent sees none of it unless the
 * user asked for that with `!!`.
 */
import { spawn } from "node:child_process";

export interface ShellResult {
  readonly output: string;
  readonly status: string;
}

/** The end of the output that is kept. */
const maxOutputChars = 64 * 1024;

export function runShell(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ShellResult> {
  const [shell, flag] =
    process.platform === "win32" ? [env["ComSpec"] ?? "cmd.exe", "/c"] : [env["SHELL"] || "/bin/sh", "-c"];
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(shell, [flag, command], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32",
    });
    const take = (chunk: string): void => void (output = (output + chunk).slice(-maxOutputChars));
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    const stop = (): void => {
      // A process that left the group would keep the streams open.
      if (child.exitCode !== null || child.signalCode !== null) {
        child.stdout.destroy();
        child.stderr.destroy();
      }
      try {
        // The whole process group, so that the command's children end too.
        if (child.pid !== undefined && process.platform !== "win32") process.kill(-child.pid, "SIGTERM");
        else child.kill();
      } catch {
        // The group has ended.
      }
    };
    signal.addEventListener("abort", stop, { once: true });
    const end = (status: string): void => {
      signal.removeEventListener("abort", stop);
      resolve({ output, status });
    };
    child.on("error", (cause) => end(`could not start ${shell}: ${cause.message}`));
    child.on("close", (code, by) => end(by === null ? `exit code ${code ?? 0}` : `ended by ${by}`));
  });
}
