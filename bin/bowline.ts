#!/usr/bin/env node
/**
 * Bowline's program: argv to one command, and its exit code.
 *
 * Editors start it without a command and wait for its first answer, so the agent is
 * at hand and everything else is read when it is asked for.
 */
import { agentCommand, runCommand } from "../lib/program/index.ts";

async function main(words: readonly string[]): Promise<number> {
  if (words.length === 0) return runCommand(agentCommand, words, process);
  const { runProgram } = await import("../lib/program/index.ts");
  return runProgram(words, process);
}

void main(process.argv.slice(2)).then((code) => void (process.exitCode = code));
