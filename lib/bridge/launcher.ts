/**
 * Launcher: a session's plan in, a link to a Claude CLI out.
 *
 * The real one starts the user's own CLI; a tape is another. What may hold keys
 * goes through private files that are removed once the CLI has read them.
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

/** Throws an error fit to be shown when nothing can be started. */
export type BridgeLauncher = (request: BridgeLaunch) => BridgeLaunched;

/**
 * Starts the user's own CLI. `CLAUDE_CODE_PATH` names it too, as in the first bridge.
 * `onWarning` hears what the CLI warns of on stderr, such as a sandbox it cannot make.
 */
export function processLauncher(env: Environment, onWarning?: (text: string) => void): BridgeLauncher {
  const { CLAUDE_CODE_PATH } = env;
  const named = CLAUDE_CODE_PATH === undefined ? {} : { CLAUDE_CODE_EXECUTABLE: CLAUDE_CODE_PATH };
  return ({ cwd, launch, mcpServers, settings, environment }) => {
    if (!isDirectory(cwd)) throw new Error("cwd must be a directory that is there");
    const located = locateClaude({ env: { ...named, ...env } });
    const { command, args } = located;
    const files: PrivateFile[] = [];
    const kept = (file: PrivateFile): string => {
      files.push(file);
      return file.path;
    };
    const ready = (): void => files.forEach((file) => file.remove());
    try {
      const hasServers = Object.keys(mcpServers).length > 0;
      const flags = launchFlags({
        ...launch,
        ...(hasServers && { mcpConfigPath: kept(mcpConfigFile(mcpServers)) }),
        ...(settings && { settingsPath: kept(privateFile("settings.json", JSON.stringify(settings))) }),
      });
      const childEnv = childEnvironment(env, {
        ...environment,
        extra: { ...asTheUserHasIt(env), ...environment.extra },
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

/** An editor's agent wants other tools than the CLI's usual ones; a client that sees everything does not. */
function asTheUserHasIt(env: Environment): Environment {
  const { CLAUDE_CODE_ENABLE_TODO_TOOLS, CLAUDE_CODE_ENABLE_TASKS } = env;
  return { CLAUDE_CODE_ENABLE_TODO_TOOLS, CLAUDE_CODE_ENABLE_TASKS };
}

/** The CLI marks its warnings; the rest of its stderr may be anything. */
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
