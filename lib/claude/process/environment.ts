/**
 * Environment: the user's environment as the CLI gets it.
 *
 * Passed on whole, because the commands the CLI runs need it, less what belongs to
 * us or to the way this node was started.
 */

/** Variables by their names; undefined where there is none. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentNeeds {
  /** Keeps what `rewind_files` needs. */
  readonly fileCheckpoints?: boolean | undefined;
  /** False: subagents and commands end before their turn does. */
  readonly backgroundTasks?: boolean | undefined;
  /** Tools the host serves itself have the names it gives them; see `replaced-tools.ts`. */
  readonly plainToolNames?: boolean | undefined;
  /** How often a failing API request is tried again; the CLI's own number is 10. */
  readonly maxRetries?: number | undefined;
  /** Set last, over everything else; undefined takes a variable away. */
  readonly extra?: Environment | undefined;
}

export function childEnvironment(user: Environment, needs: EnvironmentNeeds = {}): Record<string, string> {
  const child = new Map<string, string>();
  for (const [name, value] of Object.entries(user)) {
    if (value !== undefined && !isOurs(name)) child.set(name, value);
  }
  // The turn's end cannot be told from a pause without it.
  child.set("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1");
  // Together they offer the model TodoWrite, whose whole list each time is a plan.
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

/** npm's own names are in small letters; NPM_TOKEN and its like are the user's. */
function isOurs(name: string): boolean {
  return (
    name.startsWith("BOWLINE_") ||
    name.startsWith("npm_") ||
    name === "NODE_OPTIONS" ||
    name.startsWith("NODE_CHANNEL_")
  );
}
