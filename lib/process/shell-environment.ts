/**
 * Reads the environment of the user's login shell, and adds what this process lacks.
 *
 * A program that the desktop starts has another environment than one started in a terminal:
 * what the shell's profile sets is missing. The shell runs once, without a terminal, and is
 * killed with what it started when it takes too long. Nothing that is set is replaced, and no
 * value is logged. Windows has no login shell.
 */
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import type { Environment } from "./environment.ts";

export const shellLimitMs = 3000;
const maxBytes = 1024 * 1024;
/** Profiles may print; only what is between two of these is the environment. */
const mark = "bowline-environment-of-the-login-shell";

/** The environment, completed with variables of the login shell if the shell prints them. */
export async function shellEnvironment(env: Environment): Promise<Environment> {
  const shell = await readShellEnvironment(env);
  return shell === undefined ? env : withShellEnvironment(env, shell);
}

/** The variables of the login shell by name; undefined when there is no login shell or it does not answer in time. */
export function readShellEnvironment(
  env: Environment,
  limitMs: number = shellLimitMs,
  platform: string = process.platform,
): Promise<ReadonlyMap<string, string> | undefined> {
  const { SHELL: shell } = env;
  if (platform === "win32" || shell === undefined || !isAbsolute(shell)) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    // A process group of its own, so that what a profile starts can be killed with the shell.
    const child = spawn(shell, ["-i", "-l", "-c", `printf %s ${mark}; env -0; printf %s ${mark}`], {
      // Not the project, where this process may have been started: some profiles run what lies in the directory.
      cwd: env["HOME"] ?? homedir(),
      env: { ...env, TERM: "dumb" },
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // The group has ended.
      }
    };
    const finish = (): void => {
      clearTimeout(timer);
      // Something that the profile has left running may keep the pipe open.
      child.stdout.destroy();
      resolve(parse(Buffer.concat(chunks).toString("utf8")));
    };
    const timer = setTimeout(() => {
      kill();
      finish();
    }, limitMs);
    child.on("error", finish);
    child.on("close", finish);
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) return kill();
      chunks.push(chunk);
      if (parse(Buffer.concat(chunks).toString("utf8")) !== undefined) finish();
    });
  });
}

/** The directories of the shell's PATH that the environment's PATH lacks. */
export function missingDirectories(env: Environment, shell: ReadonlyMap<string, string>): readonly string[] {
  const known = new Set((env["PATH"] ?? "").split(":"));
  const missing = (shell.get("PATH") ?? "").split(":").filter((one) => isAbsolute(one) && !known.has(one));
  return [...new Set(missing)];
}

/** The environment, completed from the login shell's: further directories at the end of PATH, and unset variables. */
export function withShellEnvironment(env: Environment, shell: ReadonlyMap<string, string>): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of shell) if (!isOfTheShell(name)) all[name] = value;
  for (const [name, value] of Object.entries(env)) if (value !== undefined) all[name] = value;
  const path = [env["PATH"] ?? "", ...missingDirectories(env, shell)].filter((one) => one !== "");
  if (path.length > 0) all["PATH"] = path.join(":");
  return all;
}

/** Variables that belong to the shell that was asked, or that are ours. */
function isOfTheShell(name: string): boolean {
  return /^(?:_|PWD|OLDPWD|SHLVL|TERM|PATH|PS\d|COLUMNS|LINES|BASH_.*|BOWLINE_.*|npm_.*|NODE_OPTIONS)$/.test(name);
}

function parse(printed: string): ReadonlyMap<string, string> | undefined {
  const [, between, after] = printed.split(mark);
  if (between === undefined || after === undefined) return undefined;
  const pairs = between.split("\0").flatMap((line) => {
    const at = line.indexOf("=");
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
  });
  return new Map(pairs);
}
