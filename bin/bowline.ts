/**
 * Entry point of the `bowline` executable: runs one command and sets its exit code.
 *
 * Editors start it without arguments and wait for the first response, so that case
 * loads the agent alone. All other commands are loaded when they are asked for. That
 * holds for the built file, where build.mjs turns `import()` into running a layer; from
 * the sources everything is loaded at once.
 */
import { agentCommand, runCommand } from "../lib/program/index.ts";

async function main(argv: readonly string[]): Promise<number> {
  // In a terminal there is no editor: the program says what it is.
  if (argv.length === 0 && !process.stdin.isTTY) return runCommand(agentCommand, argv, process);
  const { runProgram } = await import("../lib/program/index.ts");
  return runProgram(argv, process);
}

void main(process.argv.slice(2)).then((code) => void (process.exitCode = code));
