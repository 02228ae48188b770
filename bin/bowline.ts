#!/usr/bin/env node
/**
 * Bowline's program: argv to one command, and its exit code.
 *
 * Editors start it without a command and wait for its first answer, so the agent is
 * at hand and everything else is read when it is asked for.
 */
import { agentCommand, runCommand } from "../lib/client/index.ts";

const words = process.argv.slice(2);
process.exitCode =
  words.length === 0
    ? await runCommand(agentCommand, words, process)
    : await (await import("../lib/client/index.ts")).runProgram(words, process);
