/**
 * Signing in and out, done by commands of the Claude CLI: `claude auth status`,
 * `claude auth logout`, `claude auth login`.
 */
import { execFile } from "node:child_process";
import { EngineFailure } from "../../engine/index.ts";
import { childEnvironment, type Environment, locateClaude } from "../index.ts";
import type { Program } from "../../display/index.ts";
import { cliFailure, notSignedIn } from "./failures.ts";

/** Resolves when the user is signed in; rejects with a failure of kind `not_signed_in` when not. */
export async function checkSignIn(env: Environment): Promise<void> {
  // The command exits with 1 when the user is not signed in, but still prints its JSON.
  const { output } = await runClaude(["auth", "status"], env);
  if (!/"loggedIn"\s*:\s*true/.test(output)) throw notSignedIn();
}

export async function signOut(env: Environment): Promise<void> {
  const { code } = await runClaude(["auth", "logout"], env);
  if (code !== 0)
    throw new EngineFailure("refused", "signing out failed: run `claude auth logout` in a terminal to see why");
}

const commandLimitMs = 20_000;

function runClaude(
  subcommand: readonly string[],
  env: Environment,
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve, reject) => {
    try {
      const { command, args } = locateClaude({ env });
      const options = { env: childEnvironment(env), timeout: commandLimitMs, windowsHide: true };
      execFile(command, [...args, ...subcommand], options, (error, stdout) => {
        resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, output: stdout });
      });
    } catch (cause) {
      reject(cliFailure(cause));
    }
  });
}

/** The command line that signs the user in; it needs a terminal. */
export function signInProgram(env: Environment): Program {
  const { command, args } = locateClaude({ env });
  return { command, args: [...args, "auth", "login"] };
}
