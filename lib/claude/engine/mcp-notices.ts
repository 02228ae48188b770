/**
 * Notifies the user once of each MCP server that failed or needs a sign-in, with what to do.
 */
import { oneLine } from "../../display/index.ts";
import { markInvisible } from "../../schema/index.ts";
import type { SystemInit } from "../index.ts";

/** The most servers that a notice names. */
const maxServers = 100;
const maxNameChars = 80;

export class McpNotices {
  readonly #told = new Set<string>();

  of({ mcp_servers: servers = [] }: SystemInit): readonly string[] {
    return servers.flatMap(({ name, status }) => {
      if (status !== "failed" && status !== "needs-auth") return [];
      const key = `${status} ${name}`;
      if (this.#told.has(key) || this.#told.size >= maxServers) return [];
      this.#told.add(key);
      const shown = oneLine(markInvisible(name), maxNameChars);
      return status === "failed"
        ? [`The MCP server ${shown} could not be started. /mcp says why; /mcp reconnect ${shown} tries again.`]
        : [`The MCP server ${shown} needs you to sign in: send /mcp sign-in ${shown}`];
    });
  }
}
