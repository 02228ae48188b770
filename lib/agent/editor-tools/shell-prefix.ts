/**
 * The program that the Claude CLI starts in the place of each shell command.
 *
 * `CLAUDE_CODE_SHELL_PREFIX` names one program, which gets the whole command line as
 * its one argument: lines of the Bash tool, of hooks and of MCP servers. This one
 * hands lines of the Bash tool to `terminal-client.cjs` and runs all others in place.
 * Both files lie in a directory only this user can enter.
 */
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardFile } from "../../process/index.ts";

export interface ShellPrefix {
  /** The program for `CLAUDE_CODE_SHELL_PREFIX`. */
  readonly path: string;
  readonly socketPath: string;
  /** Writes a program that runs the command behind `token`; its name is for the terminal's title. */
  readonly runner: (token: string, name: string) => string;
  readonly remove: () => void;
}

/** The variable that the program shows the agent; no command of the CLI gets it. */
export const secretName = "BOWLINE_TERMINAL_SECRET";

/** A Unix socket's path may not be longer. */
const maxSocketPathChars = 100;

/** Throws when the directory cannot hold programs or sockets. */
export function makeShellPrefix(parent: string = tmpdir()): ShellPrefix {
  // mkdtemp makes the directory 0700 and never takes one that is there.
  const directory = mkdtempSync(join(parent, "bowline-"));
  const socketPath = join(directory, "socket");
  const client = join(directory, "terminal-client.cjs");
  const path = join(directory, "shell-prefix");
  // Removed also when this program is killed.
  const guarded = [socketPath, client, path].map(guardFile);
  const remove = (): void => {
    rmSync(directory, { recursive: true, force: true });
    for (const one of guarded) one?.release();
  };
  try {
    // The path stands in shell scripts and in what editors may hand to a shell.
    if (!/^[\w./@+-]+$/.test(directory) || socketPath.length > maxSocketPathChars) {
      throw new Error("the name of the temporary directory is too long or has characters that a shell reads");
    }
    writeFileSync(client, clientText(), { mode: 0o400, flag: "wx" });
    const start = `${[process.execPath, ...runtimeArguments()].map(quoted).join(" ")} ${client}`;
    writeProgram(path, prefixScript(start));
    const runner = (token: string, name: string): string => {
      const file = join(directory, `${plainName(name)}-${token.slice(0, 8)}`);
      writeProgram(file, `#!/bin/sh\nrm -f "$0"\nexec ${start} run ${token}\n`);
      return file;
    };
    return { path, socketPath, runner, remove };
  } catch (cause) {
    remove();
    throw cause;
  }
}

function clientText(): string {
  return readFileSync(new URL("./terminal-client.cjs", import.meta.url), "utf8");
}

function writeProgram(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o500, flag: "wx" });
  // Fails on a file system that runs no programs.
  accessSync(path, constants.X_OK);
}

/** Deno needs to be told to run a file; Node and Bun take it as it is. */
function runtimeArguments(): readonly string[] {
  return "deno" in process.versions ? ["run", "--allow-all"] : [];
}

/**
 * The Bash tool's lines end by writing the working directory to a file that the CLI
 * names `claude-<id>-cwd`. In a sandbox the file has another name, and the line stays
 * in the sandbox.
 */
function prefixScript(start: string): string {
  return `#!/bin/sh
case $1 in
*" && pwd -P >| "*claude-*-cwd | *" && pwd -P >| "*claude-*-cwd\\') ;;
*) unset ${secretName}; exec /bin/sh -c "$1" ;;
esac
case \${CLAUDE_CODE_SHELL:-\${SHELL:-}} in
*/bash | */zsh) shell=\${CLAUDE_CODE_SHELL:-$SHELL} ;;
*) shell=$(command -v bash || command -v zsh || echo /bin/sh) ;;
esac
if [ -n "\${SANDBOX_RUNTIME:-}" ]; then
  unset ${secretName}
  exec "$shell" -c "$1"
fi
exec ${start} submit "$shell" "$1"
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
