/**
 * Writes files that only the CLI may read, such as MCP servers with their API keys.
 *
 * Each file has mode 0600 in a new directory of mode 0700. It is deleted by `remove`, and
 * by the orphan guard if this process is killed before that.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { guardFile, makePrivateDirectory } from "../../process/index.ts";
import type { McpServers } from "../protocol/mcp-server.ts";

export interface PrivateFile {
  readonly path: string;
  /** Removes the file and its directory. Can be called more than once. */
  readonly remove: () => void;
}

/** `parent` is created when it is missing, and must be a directory that only this user can enter. */
export function privateFile(name: string, text: string, parent: string): PrivateFile {
  // mkdtemp creates a new directory with mode 0700.
  const directory = mkdtempSync(join(makePrivateDirectory(parent), "bowline-"));
  const path = join(directory, name);
  // Registered before the file exists, because this process may be killed at any moment.
  const guarded = guardFile(path);
  const remove = (): void => {
    rmSync(directory, { recursive: true, force: true });
    guarded?.release();
  };
  try {
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    remove();
    throw cause;
  }
  return { path, remove };
}

/** The file for `mcpConfigPath`. The CLI has read it once it has answered `initialize`. */
export function mcpConfigFile(servers: McpServers, parent: string): PrivateFile {
  return privateFile("mcp.json", JSON.stringify({ mcpServers: servers }), parent);
}
