/**
 * Entry point of the `bowline` executable: runs one command and sets its exit code.
 *
 * Editors start it without arguments or as `bowline agent`, and wait for the first response,
 * so that case loads the agent alone. All other commands are loaded when they are asked for.
 * That holds for the built file, where build.mjs turns `import()` into running a layer; from
 * the sources everything is loaded at once.
 */
import { agentCommand, runCommand } from "../lib/program/index.ts";

async function main(argv: readonly string[]): Promise<number> {
  const words = agentWords(argv);
  if (words !== undefined) return runCommand(agentCommand, words, process);
  const { runProgram } = await import("../lib/program/index.ts");
  return runProgram(argv, process);
}

/** The arguments of the agent; undefined when the user asks for something else. */
function agentWords(argv: readonly string[]): readonly string[] | undefined {
  const [first, ...rest] = argv;
  // In a terminal there is no editor: the program says what it is.
  if (first === undefined) return process.stdin.isTTY ? undefined : [];
  return first === "agent" && !rest.some((word) => word === "--help" || word === "-h") ? rest : undefined;
}

void main(process.argv.slice(2)).then((code) => void (process.exitCode = code));
