/**
 * Starts the user's Claude CLI for a bridge session.
 */
import { statSync } from "node:fs";
import type { Environment } from "../claude/index.ts";
import { claudeLauncher, type Launcher } from "../claude/engine/index.ts";

/**
 * `CLAUDE_CODE_PATH` may name the executable, as in the first implementation of this
 * protocol. `onWarning` gets the warnings that the CLI writes to stderr, for example that
 * it cannot set up the sandbox.
 */
export function processLauncher(env: Environment, onWarning?: (text: string) => void): Launcher {
  const launch = claudeLauncher(env, {
    executable: env["CLAUDE_CODE_PATH"],
    onStderr: onWarning && ((text) => warningsIn(text).forEach(onWarning)),
  });
  return (request) => {
    if (!isDirectory(request.cwd)) throw new Error("cwd must be an existing directory");
    const { environment } = request;
    const extra = { ...taskToolVariables(env), ...environment?.extra };
    return launch({ ...request, environment: { ...environment, extra } });
  };
}

/** The launcher selects the todo tools an editor needs; the bridge keeps the user's own choice of tools. */
function taskToolVariables(env: Environment): Environment {
  const { CLAUDE_CODE_ENABLE_TODO_TOOLS, CLAUDE_CODE_ENABLE_TASKS } = env;
  return { CLAUDE_CODE_ENABLE_TODO_TOOLS, CLAUDE_CODE_ENABLE_TASKS };
}

/** The lines that the CLI marks as warnings; other lines of its stderr are ignored. */
function warningsIn(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => (line.startsWith("⚠") ? [line.slice(1).trim()] : []));
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
