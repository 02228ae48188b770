/**
 * Editor ports: the client's files and terminals, and the disk, as the tools
 * want them.
 */
import { mkdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { AgentConnection } from "../acp/index.ts";
import type { Disk, EditorFiles, Terminals } from "../tools/index.ts";

export function editorFiles(client: AgentConnection, sessionId: string): EditorFiles {
  return {
    read: async (path, range) => (await client.call("fs/read_text_file", { sessionId, path, ...range })).content,
    write: async (path, content) => void (await client.call("fs/write_text_file", { sessionId, path, content })),
  };
}

export function editorTerminals(client: AgentConnection, sessionId: string, cwd: string): Terminals {
  return {
    // A whole line as the command: editors give it to a shell, and do not quote arguments.
    create: async (command, outputByteLimit) => {
      const request = { sessionId, command, cwd, env: commandEnv, outputByteLimit };
      return (await client.call("terminal/create", request)).terminalId;
    },
    output: (terminalId) => client.call("terminal/output", { sessionId, terminalId }),
    exit: (terminalId) => client.call("terminal/wait_for_exit", { sessionId, terminalId }),
    kill: async (terminalId) => void (await client.call("terminal/kill", { sessionId, terminalId })),
    release: async (terminalId) => void (await client.call("terminal/release", { sessionId, terminalId })),
  };
}

/** What the CLI's own Bash sets: programs may know who calls, and no editor waits for a person. */
const commandEnv = [
  { name: "CLAUDECODE", value: "1" },
  { name: "GIT_EDITOR", value: "true" },
];

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
