/**
 * Starts a Claude CLI for a session and returns the link to it.
 *
 * `claudeLauncher` starts the user's CLI; other launchers play a tape. The MCP servers
 * contain keys, so they are passed in a file that only this user can read and that is
 * removed when the CLI has read it.
 */
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
  type PrivateFile,
} from "../index.ts";
import { diskFailure } from "./failures.ts";

export interface LaunchRequest {
  /** The client's session id. */
  readonly sessionId: string;
  readonly cwd: string;
  readonly launch: ClaudeLaunch;
  readonly mcpServers: McpServers;
  readonly environment?: EnvironmentNeeds | undefined;
}

/** Throws `ClaudeNotFound` or `ClaudeExit` when the CLI cannot be started. */
export type Launcher = (request: LaunchRequest) => Launched;

export function claudeLauncher(env: Environment): Launcher {
  return ({ cwd, launch, mcpServers, environment }) => {
    const located = locateClaude({ env });
    const { command, args } = located;
    const file = Object.keys(mcpServers).length === 0 ? undefined : writeMcpConfig(mcpServers);
    try {
      const flags = launchFlags({ ...launch, ...(file && { mcpConfigPath: file.path }) });
      const childEnv = childEnvironment(env, environment);
      const link = new ClaudeProcess({ command, args: [...args, ...flags], cwd, env: childEnv });
      return { link, ready: () => file?.remove(), diagnose: versionDiagnosis(located, childEnv) };
    } catch (cause) {
      file?.remove();
      throw cause;
    }
  };
}

function writeMcpConfig(servers: McpServers): PrivateFile {
  try {
    return mcpConfigFile(servers);
  } catch (cause) {
    throw diskFailure(
      "the MCP servers could not be written down for the Claude CLI, in the directory TMPDIR names",
      cause,
    );
  }
}
