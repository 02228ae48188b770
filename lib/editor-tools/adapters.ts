/**
 * Implements the interfaces that the editor tools need: the client's files and
 * terminals by ACP requests, and the disk by `node:fs`.
 */
import { constants } from "node:fs";
import { lstat, mkdir, open, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { AgentConnection } from "../acp/index.ts";
import type { Disk, EditorFiles } from "./file-access.ts";

export function editorFiles(client: AgentConnection, sessionId: string): EditorFiles {
  return {
    read: async (path) => (await client.call("fs/read_text_file", { sessionId, path })).content,
    write: async (path, content) => void (await client.call("fs/write_text_file", { sessionId, path, content })),
  };
}

/** How much of a command's output the editor keeps. */
const outputByteLimit = 1024 * 1024;

/** The editor's terminals. All functions reject when the editor refuses or has disconnected. */
export interface EditorTerminals {
  /** Starts a program and returns the terminal's id. */
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
        linkCount: facts.nlink,
        sizeBytes: facts.size,
        changedMs: facts.mtimeMs,
      };
    } catch {
      return undefined;
    }
  },
  read: async (path) => {
    // A named pipe would block an open without O_NONBLOCK.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      if (!(await file.stat()).isFile()) throw new Error("not a regular file");
      return await file.readFile();
    } finally {
      await file.close();
    }
  },
  write: async (path, text) => {
    await mkdir(dirname(path), { recursive: true });
    // The caller has resolved the path; a link created there since then is not followed.
    const flag = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
    await writeFile(path, text, { flag });
  },
  isLink: (path) =>
    lstat(path).then(
      (facts) => facts.isSymbolicLink(),
      () => false,
    ),
  real: realPathOf,
};

/** Resolves the links of the part of a path that exists, and appends the rest. */
async function realPathOf(path: string): Promise<string> {
  const parent = dirname(path);
  try {
    return await realpath(path);
  } catch {
    return parent === path ? path : join(await realPathOf(parent), basename(path));
  }
}
