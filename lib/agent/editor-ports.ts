/**
 * Editor ports: the client's files and terminals, and the disk, as the tools
 * want them.
 */
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { AgentConnection } from "../acp/index.ts";
import { markName } from "../claude/index.ts";
import type { Disk, EditorFiles, Note, Terminals } from "../tools/index.ts";

export function editorFiles(client: AgentConnection, sessionId: string): EditorFiles {
  return {
    read: async (path, range) => (await client.call("fs/read_text_file", { sessionId, path, ...range })).content,
    write: async (path, content) => void (await client.call("fs/write_text_file", { sessionId, path, content })),
  };
}

/** What the editor keeps of a command's output. */
const outputByteLimit = 1024 * 1024;

/** `mark` is in the environment of all that runs there; it may have to be ended without the editor. */
export function editorTerminals(client: AgentConnection, sessionId: string, mark: string): Terminals {
  return {
    create: async ({ command, args, cwd, env }) => {
      const all = Object.entries({ ...commandEnv, [markName]: mark, ...env });
      const request = { sessionId, command, cwd, env: all.map(([name, value]) => ({ name, value })), outputByteLimit };
      return (await client.call("terminal/create", { ...request, ...(args && { args }) })).terminalId;
    },
    output: (terminalId) => client.call("terminal/output", { sessionId, terminalId }),
    exit: (terminalId) => client.call("terminal/wait_for_exit", { sessionId, terminalId }),
    kill: async (terminalId) => void (await client.call("terminal/kill", { sessionId, terminalId })),
    release: async (terminalId) => void (await client.call("terminal/release", { sessionId, terminalId })),
  };
}

/** What the CLI's own Bash sets: programs may know who calls, and no editor waits for a person. */
const commandEnv = { CLAUDECODE: "1", GIT_EDITOR: "true" };

/** A file of its own in a directory of its own, which mkdtemp makes 0700. */
async function newNote(): Promise<Note> {
  const directory = await mkdtemp(join(tmpdir(), "bowline-"));
  const path = join(directory, "cwd");
  const take = async (): Promise<string | undefined> => {
    const text = await readFile(path, "utf8").catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
    return text;
  };
  return { path, take };
}

/** Shells of Windows take no notes. */
export const note: typeof newNote | undefined = process.platform === "win32" ? undefined : newNote;

export const disk: Disk = {
  facts: async (path) => {
    try {
      const facts = await stat(path);
      return { isDirectory: facts.isDirectory(), sizeBytes: facts.size, changedMs: facts.mtimeMs };
    } catch {
      return undefined;
    }
  },
  read: (path) => readFile(path),
  write: async (path, text) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  },
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
