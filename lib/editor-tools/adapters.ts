/**
 * Implements the interfaces that the editor tools need: the client's files and
 * terminals by ACP requests, and the disk by `node:fs`.
 */
import { constants } from "node:fs";
import { lstat, mkdir, open, readlink, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, parse, sep } from "node:path";
import type { AgentConnection } from "../acp/index.ts";
import type { Schedule } from "../wire/index.ts";
import { type Disk, type EditorFiles, EditorSilent } from "./file-access.ts";

/** How long the editor has to answer a read. */
const readLimitMs = 10_000;

export function editorFiles(client: AgentConnection, sessionId: string, after: Schedule): EditorFiles {
  return {
    read: async (path) => {
      const limit = new AbortController();
      const cancel = after(readLimitMs, () => limit.abort());
      try {
        return (await client.call("fs/read_text_file", { sessionId, path }, { signal: limit.signal })).content;
      } catch (cause) {
        if (limit.signal.aborted) throw new EditorSilent(`The editor did not return the text of ${path} in time.`);
        throw cause;
      } finally {
        cancel();
      }
    },
    write: async (path, content, signal) =>
      void (await client.call("fs/write_text_file", { sessionId, path, content }, { signal })),
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
  isLink: isSymbolicLink,
  real: realPathOf,
};

/** A link on Windows may be written with both. */
const separators = sep === "\\" ? /[\\/]/ : sep;
/** As many links as Linux follows on one path. */
const maxLinks = 40;

/** Resolves every link of a path, also a link to something that does not exist. Names that do not exist are kept. */
async function realPathOf(path: string): Promise<string> {
  const { root } = parse(path);
  const names = path.slice(root.length).split(separators);
  let real = root;
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      real = dirname(real);
      continue;
    }
    const next = join(real, name);
    if (!(await isSymbolicLink(next))) {
      real = next;
      continue;
    }
    if (++links > maxLinks) throw new Error("too many links");
    const target = await readlink(next);
    if (isAbsolute(target)) real = parse(target).root;
    names.unshift(...target.slice(isAbsolute(target) ? real.length : 0).split(separators));
  }
  return real;
}

/** Rejects when that cannot be found out. */
async function isSymbolicLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw cause;
  }
}
