/**
 * Builds the environment of the Claude CLI from what it inherits and what a session needs.
 */
import { type Environment, inheritedEnvironment } from "../../process/index.ts";

export type { Environment } from "../../process/index.ts";

export interface EnvironmentNeeds {
  /** Makes the CLI keep the file checkpoints that `rewind_files` needs. */
  readonly fileCheckpoints?: boolean | undefined;
  /** False: no subagent or command runs on after its turn. */
  readonly backgroundTasks?: boolean | undefined;
  /** Tools that the host serves keep their names, without the prefix `mcp__<server>__`; see `replaced-tools.ts`. */
  readonly plainToolNames?: boolean | undefined;
  /** How often the CLI retries a failing API request. The CLI's default is 10. */
  readonly maxRetries?: number | undefined;
  /** Applied last. Undefined removes a variable. */
  readonly extra?: Environment | undefined;
}

/** The environment of the CLI: the user's own without the variables of Bowline and Node, with those that Bowline needs. */
export function childEnvironment(user: Environment, needs: EnvironmentNeeds = {}): Record<string, string> {
  const child = inheritedEnvironment(user);
  // Without these events the end of a turn looks like a pause.
  child.set("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1");
  // These two make the CLI offer TodoWrite, which sends the whole list each time: that is an ACP plan.
  for (const [name, value] of todoWrite) if (!child.has(name)) child.set(name, value);
  if (needs.fileCheckpoints === true) child.set("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "1");
  if (needs.plainToolNames === true) child.set("CLAUDE_AGENT_SDK_MCP_NO_PREFIX", "1");
  if (needs.backgroundTasks === false) child.set("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1");
  if (needs.maxRetries !== undefined) child.set("CLAUDE_CODE_MAX_RETRIES", String(needs.maxRetries));
  for (const [name, value] of Object.entries(needs.extra ?? {})) {
    if (value === undefined) child.delete(name);
    else child.set(name, value);
  }
  return Object.fromEntries(child);
}

const todoWrite = [
  ["CLAUDE_CODE_ENABLE_TODO_TOOLS", "1"],
  ["CLAUDE_CODE_ENABLE_TASKS", "0"],
] as const;
