/**
 * Starts a Claude CLI for a bridge session and returns the link to it.
 *
 * `processLauncher` starts the user's installed CLI; tests pass other launchers. MCP
 * configuration and settings may contain keys, so they are passed in private files,
 * which are removed once the CLI has read them.
 */
import { statSync } from "node:fs";
import {
  childEnvironment,
  type ClaudeLaunch,
  ClaudeProcess,
  type Environment,
  type EnvironmentNeeds,
  versionDiagnosis,
  type Launched,
  launchFlags,
  locateClaude,
  mcpConfigFile,
  type McpServers,
  privateFile,
  type PrivateFile,
} from "../claude/index.ts";

export interface BridgeLaunch {
  readonly cwd: string;
  readonly launch: ClaudeLaunch;
  readonly mcpServers: McpServers;
  readonly settings: Readonly<Record<string, unknown>> | undefined;
  readonly environment: EnvironmentNeeds;
}

export interface BridgeLaunched extends Launched {}

/** Throws an error with a message for the client when the CLI cannot be started. */
export type BridgeLauncher = (request: BridgeLaunch) => BridgeLaunched;

/**
 * Starts the user's installed CLI. `CLAUDE_CODE_PATH` may name the executable, as in
 * the first implementation of this protocol. `onWarning` gets the warnings that the CLI
 * writes to stderr, for example that it cannot set up the sandbox.
 */
export function processLauncher(env: Environment, onWarning?: (text: string) => void): BridgeLauncher {
  const { CLAUDE_CODE_PATH } = env;
  const executable = CLAUDE_CODE_PATH === undefined ? {} : { CLAUDE_CODE_EXECUTABLE: CLAUDE_CODE_PATH };
  return ({ cwd, launch, mcpServers, settings, environment }) => {
    if (!isDirectory(cwd)) throw new Error("cwd must be a directory that is there");
    const located = locateClaude({ env: { ...executable, ...env } });
    const { command, args } = located;
    const files: PrivateFile[] = [];
    const pathOf = (file: PrivateFile): string => {
      files.push(file);
      return file.path;
    };
    const ready = (): void => files.forEach((file) => file.remove());
    try {
      const hasServers = Object.keys(mcpServers).length > 0;
      const flags = launchFlags({
        ...launch,
        ...(hasServers && { mcpConfigPath: pathOf(mcpConfigFile(mcpServers)) }),
        ...(settings && { settingsPath: pathOf(privateFile("settings.json", JSON.stringify(settings))) }),
      });
      const childEnv = childEnvironment(env, {
        ...environment,
        extra: { ...taskToolVariables(env), ...environment.extra },
      });
      const onStderr = onWarning && ((text: string) => warningsIn(text).forEach(onWarning));
      const link = new ClaudeProcess({ command, args: [...args, ...flags], cwd, env: childEnv, onStderr });
      return { link, ready, diagnose: versionDiagnosis(located, childEnv) };
    } catch (cause) {
      ready();
      throw cause;
    }
  };
}

/** `childEnvironment` selects the todo tools an editor needs; the bridge keeps the user's own choice of tools. */
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
