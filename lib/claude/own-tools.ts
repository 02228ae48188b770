/**
 * Own tools: the names of tools that the host serves to the CLI itself, in place
 * of the CLI's own.
 *
 * The CLI calls them `mcp__<server>__<tool>`; to a person each is the tool it
 * stands in for.
 */

/** The MCP server that the host is. */
export const ownServer = "bowline";
const prefix = `mcp__${ownServer}__`;

/** Under this key of a result's `_meta` stands what the CLI's own tool would have answered. */
export const ownResult = "bowline/result";

export function ownToolName(name: string): string {
  return prefix + name;
}

export function isOwnTool(name: string): boolean {
  return name.startsWith(prefix);
}

/** The name of the tool that one of ours stands in for; any other name stays. */
export function plainToolName(name: string): string {
  return isOwnTool(name) ? name.slice(prefix.length) : name;
}
