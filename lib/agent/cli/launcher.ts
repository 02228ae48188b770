/**
 * Launcher: a session's wishes in, a link to a Claude CLI out.
 *
 * The real one starts the user's own CLI; a tape is another. MCP servers with
 * their keys go through a private file that is removed once the CLI has read it.
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
} from "../../claude/index.ts";
import { diskFailure } from "../errors.ts";

export interface LaunchRequest {
  /** As the editor knows it. */
  readonly sessionId: string;
  readonly cwd: string;
  readonly launch: ClaudeLaunch;
  readonly mcpServers: McpServers;
  readonly environment?: EnvironmentNeeds | undefined;
}

/** Throws `ClaudeNotFound` or `ClaudeExit` when nothing can be started. */
export type Launcher = (request: LaunchRequest) => Launched;

/** Starts the user's own CLI. */
export function claudeLauncher(env: Environment): Launcher {
  return ({ cwd, launch, mcpServers, environment }) => {
    const located = locateClaude({ env });
    const { command, args } = located;
    const file = Object.keys(mcpServers).length === 0 ? undefined : writtenFor(mcpServers);
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

function writtenFor(servers: McpServers): PrivateFile {
  try {
    return mcpConfigFile(servers);
  } catch (cause) {
    throw diskFailure(
      "the MCP servers could not be written down for the Claude CLI, in the directory TMPDIR names",
      cause,
    );
  }
}
