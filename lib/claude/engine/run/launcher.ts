/**
 * Starts a Claude CLI and returns the link to it, for the agent and the bridge.
 *
 * `claudeLauncher` starts the user's CLI; other launchers play a tape. MCP servers and
 * settings may contain keys, so they are passed in files that only this user can read and
 * that are removed when the CLI has read them.
 */
import {
  childEnvironment,
  type ClaudeLaunch,
  ClaudeProcess,
  type Environment,
  type EnvironmentNeeds,
  versionDiagnosis,
  type LaunchedCli,
  launchFlags,
  locateClaude,
  mcpConfigFile,
  type McpServers,
  privateFile,
  type PrivateFile,
} from "../../index.ts";
import { runDirectory } from "../../../process/index.ts";
import { diskFailure } from "../failures.ts";

export interface LaunchRequest {
  /** The client's session id. */
  readonly sessionId: string;
  readonly cwd: string;
  readonly launch: ClaudeLaunch;
  readonly mcpServers: McpServers;
  /** Settings that are added to the user's own. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  readonly environment?: EnvironmentNeeds | undefined;
}

/** Throws `ClaudeNotFound`, `ClaudeExit` or an `EngineFailure` when the CLI cannot be started. */
export type Launcher = (request: LaunchRequest) => LaunchedCli;

export interface LauncherOptions {
  /** The executable, if neither of the usual variables names one. */
  readonly executable?: string | undefined;
  /** Gets what the CLI writes to stderr. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

export function claudeLauncher(env: Environment, { executable, onStderr }: LauncherOptions = {}): Launcher {
  const locateEnv = executable === undefined ? env : { CLAUDE_CODE_EXECUTABLE: executable, ...env };
  return ({ cwd, launch, mcpServers, settings, environment }) => {
    const located = locateClaude({ env: locateEnv });
    const { command, args } = located;
    const directory = runDirectory(env);
    const files: PrivateFile[] = [];
    const pathOf = (what: string, write: () => PrivateFile): string => {
      const file = written(what, directory, write);
      files.push(file);
      return file.path;
    };
    const ready = (): void => files.forEach((file) => file.remove());
    try {
      const hasServers = Object.keys(mcpServers).length > 0;
      const flags = launchFlags({
        ...launch,
        ...(hasServers && { mcpConfigPath: pathOf("MCP servers", () => mcpConfigFile(mcpServers, directory)) }),
        ...(settings && {
          settingsPath: pathOf("settings", () => privateFile("settings.json", JSON.stringify(settings), directory)),
        }),
      });
      const childEnv = childEnvironment(env, environment);
      const link = new ClaudeProcess({ command, args: [...args, ...flags], cwd, env: childEnv, onStderr });
      return { link, ready, diagnose: versionDiagnosis(located, childEnv) };
    } catch (cause) {
      ready();
      throw cause;
    }
  };
}

function written(what: string, directory: string, write: () => PrivateFile): PrivateFile {
  try {
    return write();
  } catch (cause) {
    throw diskFailure(`the ${what} could not be written down for the Claude CLI in ${directory}`, cause);
  }
}
