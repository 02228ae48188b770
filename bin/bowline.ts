#!/usr/bin/env node
/**
 * Bowline's program: argv to one command, and its exit code.
 */
import { runProgram } from "../lib/client/index.ts";

process.exitCode = await runProgram(process.argv.slice(2), process);
