/**
 * Private file: what the CLI must read but nobody else, such as MCP servers with
 * their keys.
 *
 * A file of mode 0600 in a fresh directory of mode 0700, gone after `remove`, and
 * also when this program is killed before that.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardFile } from "../../process/index.ts";
import type { McpServers } from "../protocol/mcp-server.ts";

export interface PrivateFile {
  readonly path: string;
  /** Removes the file and its directory. May be called again. */
  readonly remove: () => void;
}

export function privateFile(name: string, text: string, parent: string = tmpdir()): PrivateFile {
  // mkdtemp makes the directory 0700 and never one that was there.
  const directory = mkdtempSync(join(parent, "bowline-"));
  const path = join(directory, name);
  // Guarded before it holds anything: this program may be killed at any moment.
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

/** For `mcpConfigPath`; the CLI has read it once it has answered `initialize`. */
export function mcpConfigFile(servers: McpServers, parent?: string): PrivateFile {
  return privateFile("mcp.json", JSON.stringify({ mcpServers: servers }), parent);
}
