/**
 * Own tools: the names of tools that the host serves to the CLI itself, in place
 * of the CLI's own.
 *
 * They bear the names of those they stand in for, so that lists of tools, of
 * subagents among others, mean them too. Without `plainToolNames` in its
 * environment the CLI would call them `mcp__<server>__<tool>`.
 */

/** The MCP server that the host is. */
export const ownServer = "bowline";
const prefix = `mcp__${ownServer}__`;

/** Under this key of a result's `_meta` stands what the CLI's own tool would have answered. */
export const ownResult = "bowline/result";

/** The long name of a tool of ours. */
export function ownToolName(name: string): string {
  return prefix + name;
}

/** The name of the tool that one of ours stands in for; any other name stays. */
export function plainToolName(name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
