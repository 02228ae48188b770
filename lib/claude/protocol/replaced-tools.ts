/**
 * Names of the tools that the host serves to the CLI in place of the CLI's own tools.
 *
 * A replacing tool has the same name as the tool it replaces, so that lists of tool names,
 * such as those of subagents, apply to it too. Without `plainToolNames` in its environment
 * the CLI would name it `mcp__<server>__<tool>`; a tool that the CLI names so belongs to
 * another server, whatever that server is called.
 */

/** The name of the MCP server that the host runs itself. */
export const ownServer = "bowline";
const prefix = `mcp__${ownServer}__`;

/** The key in a result's `_meta` under which the structured result of the replaced tool is sent. */
export const ownResult = "bowline/result";

/** The full name of a replacing tool: `mcp__bowline__<name>`. */
export function ownToolName(name: string): string {
  return prefix + name;
}
