/**
 * Editor ports: the client's files and terminals, and the disk, as the tools
 * want them.
 */
import { constants } from "node:fs";
import { lstat, mkdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { AgentConnection } from "../../acp/index.ts";
import type { Disk, EditorFiles } from "../../editor-tools/index.ts";

export function editorFiles(client: AgentConnection, sessionId: string): EditorFiles {
  return {
    read: async (path) => (await client.call("fs/read_text_file", { sessionId, path })).content,
    write: async (path, content) => void (await client.call("fs/write_text_file", { sessionId, path, content })),
  };
}

/** What the editor keeps of a command's output. */
const outputByteLimit = 1024 * 1024;

/** The editor's terminals. All reject when the editor refuses or is gone. */
export interface EditorTerminals {
  /** Starts a program and gives the terminal's id. */
  readonly create: (command: string) => Promise<string>;
  /** Resolves when the program has ended. */
  readonly exit: (terminalId: string) => Promise<unknown>;
  readonly kill: (terminalId: string) => Promise<void>;
  readonly release: (terminalId: string) => Promise<void>;
}

export function editorTerminals(client: AgentConnection, sessionId: string, cwd: string): EditorTerminals {
  return {
    create: async (command) => {
      const request = { sessionId, command, cwd, outputByteLimit };
      return (await client.call("terminal/create", request)).terminalId;
    },
    exit: (terminalId) => client.call("terminal/wait_for_exit", { sessionId, terminalId }),
    kill: async (terminalId) => void (await client.call("terminal/kill", { sessionId, terminalId })),
    release: async (terminalId) => void (await client.call("terminal/release", { sessionId, terminalId })),
  };
}

export const disk: Disk = {
  facts: async (path) => {
    try {
      const facts = await stat(path);
      return {
        isDirectory: facts.isDirectory(),
        isFile: facts.isFile(),
        sizeBytes: facts.size,
        changedMs: facts.mtimeMs,
      };
    } catch {
      return undefined;
    }
  },
  read: (path) => readFile(path),
  write: async (path, text) => {
    await mkdir(dirname(path), { recursive: true });
    // The path has been resolved; a link that appears at its end meanwhile is not followed.
    const flag = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
    await writeFile(path, text, { flag });
  },
  isLink: (path) =>
    lstat(path).then(
      (facts) => facts.isSymbolicLink(),
      () => false,
    ),
  real: realAsFarAsThere,
};

async function realAsFarAsThere(path: string): Promise<string> {
  const parent = dirname(path);
  try {
    return await realpath(path);
  } catch {
    return parent === path ? path : join(await realAsFarAsThere(parent), basename(path));
  }
}
