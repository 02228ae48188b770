/**
 * Writes the program that the Claude CLI starts instead of each shell command.
 *
 * `CLAUDE_CODE_SHELL_PREFIX` names one program, which gets the whole command line as
 * its one argument: lines of the Bash tool, of hooks and of MCP servers. The program
 * written here passes lines of the Bash tool to `terminal-client.cjs` and runs all
 * others in place. Both files are in a directory that only this user can enter.
 */
import { randomBytes } from "node:crypto";
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { guardFile, makePrivateDirectory } from "../../process/index.ts";
import { nodeProgram } from "../../wire/index.ts";
import clientText from "./terminal-client.cjs.text.ts";

/** A program for one command. It removes itself when it starts. */
export interface RunnerFile {
  readonly path: string;
  readonly remove: () => void;
}

export interface ShellPrefix {
  /** The program for `CLAUDE_CODE_SHELL_PREFIX`. */
  readonly path: string;
  readonly socketPath: string;
  /**
   * The variable with the secret that authenticates the program to the relay. No command
   * of the CLI gets it. The name is another one each time, so that the `env` of a
   * project's settings cannot replace the secret.
   */
  readonly secretName: string;
  /** Writes a program that runs the command behind `token`; its name is for the terminal's title. */
  readonly runner: (token: string, name: string) => RunnerFile;
  readonly remove: () => void;
}

/** The variable by which the CLI knows the program. A CLI that a command starts must not use it. */
export const prefixName = "CLAUDE_CODE_SHELL_PREFIX";

/** The system limits the path of a Unix socket to about 104 bytes. */
const maxSocketPathChars = 100;

/** Throws when the directory cannot hold programs or sockets. */
export function makeShellPrefix(parent: string): ShellPrefix {
  // mkdtemp creates the directory with mode 0700 and never uses an existing one.
  const directory = mkdtempSync(join(makePrivateDirectory(parent), "bowline-"));
  const socketPath = join(directory, "socket");
  const client = join(directory, "terminal-client.cjs");
  const path = join(directory, "shell-prefix");
  const secretName = `BOWLINE_TERMINAL_${randomBytes(8).toString("hex").toUpperCase()}`;
  // The orphan guard removes the files if this process is killed.
  const guarded = [socketPath, client, path].map(guardFile);
  const remove = (): void => {
    rmSync(directory, { recursive: true, force: true });
    for (const one of guarded) one?.release();
  };
  try {
    // The path is written into shell scripts, and editors may pass it to a shell.
    if (!/^[\w./@+-]+$/.test(directory) || socketPath.length > maxSocketPathChars) {
      throw new Error(`the path of the directory ${parent} is too long or has characters that a shell reads`);
    }
    writeFileSync(client, clientText(), { mode: 0o400, flag: "wx" });
    const command = `${[nodeProgram(), ...runtimeArguments()].map(quoted).join(" ")} ${client}`;
    writeProgram(path, prefixScript(command, secretName));
    const runner = (token: string, name: string): RunnerFile => {
      const file = join(directory, `${plainName(name)}-${token.slice(0, 8)}`);
      const guard = guardFile(file);
      writeProgram(file, `#!/bin/sh\nrm -f "$0"\nunset NODE_OPTIONS\nexec ${command} run ${token}\n`);
      const removeFile = (): void => {
        rmSync(file, { force: true });
        guard?.release();
      };
      return { path: file, remove: removeFile };
    };
    return { path, socketPath, secretName, runner, remove };
  } catch (cause) {
    remove();
    throw cause;
  }
}

function writeProgram(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o500, flag: "wx" });
  // Throws on a file system that is mounted noexec.
  accessSync(path, constants.X_OK);
}

/** Deno needs a subcommand to run a file; Node and Bun do not. */
function runtimeArguments(): readonly string[] {
  return "deno" in process.versions ? ["run", "--allow-all"] : [];
}

/**
 * The Bash tool's lines end by writing the working directory to a file that the CLI
 * names `claude-<id>-cwd`. In a sandbox the file has another name, and the line stays
 * in the sandbox.
 */
function prefixScript(command: string, secretName: string): string {
  return `#!/bin/sh
case $1 in
*" && pwd -P >| "*claude-*-cwd | *" && pwd -P >| "*claude-*-cwd\\') ;;
*) unset ${secretName} ${prefixName}; exec /bin/sh -c "$1" ;;
esac
shell=
for one in "\${CLAUDE_CODE_SHELL:-}" "\${SHELL:-}"; do
  case $one in */bash | */zsh) [ -z "$shell" ] && [ -x "$one" ] && shell=$one ;; esac
done
[ -n "$shell" ] || shell=$(command -v bash || command -v zsh || echo /bin/sh)
if [ -n "\${SANDBOX_RUNTIME:-}" ]; then
  unset ${secretName} ${prefixName}
  exec "$shell" -c "$1"
fi
# Options for Node are for the command, not for the program that starts it.
if [ -n "\${NODE_OPTIONS+set}" ]; then
  BOWLINE_NODE_OPTIONS=$NODE_OPTIONS
  export BOWLINE_NODE_OPTIONS
  unset NODE_OPTIONS
fi
exec ${command} submit ${secretName} "$shell" "$1"
`;
}

/** Letters and digits of a command, for the name of a file. */
function plainName(command: string): string {
  const words = command.slice(0, 200).replaceAll(/[^A-Za-z0-9]+/g, "-");
  return words.replaceAll(/^-|-$/g, "").slice(0, 40) || "command";
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
