/**
 * Defines `bowline play`: an agent that does what a small file says.
 */
import { randomUUID } from "node:crypto";
import { type Schedule, stdioLink } from "../../wire/index.ts";
import { version } from "../../version.ts";
import { command } from "../command.ts";
import { jsonSchema } from "../json-file/json-schema.ts";
import { readJsonFile, readJsonText, readText } from "../json-file/read-json-file.ts";
import { faultOptions, faultyStdioLink, readFaults } from "../tapes/fault-options.ts";
import { scriptedAgent } from "../play/scripted-agent.ts";
import { Script, scriptFile, scriptReferences } from "../play/script.ts";
import { printJson, printLine } from "../print.ts";
import { reserveStdout } from "../protocol-stdout.ts";
import { WrongUsage } from "../argv.ts";

export const playCommand = command({
  name: "play",
  summary: "an agent for tests that does what a small file says",
  operands: "<script.json>",
  operandCount: [0, 1],
  about: [
    "Speaks the Agent Client Protocol on stdin and stdout and does what the script says in each turn: says and thinks text, calls tools with diffs, asks for permission and branches on the answer, reads and writes files through the client, fails, hangs, crashes, drops the connection, sends invalid messages, floods.",
    "The script is JSON; docs/testing.md has every step. --schema prints its JSON schema, --check reads it and starts nothing. Problems name the file and the line.",
    "The options from --delay to --faults-on put faults into the messages, the same for the same --seed.",
  ],
  options: {
    "--check": { about: "read the script, report its problems and start nothing" },
    "--schema": { about: "print the JSON schema of scripts" },
    ...faultOptions,
  },
  examples: [
    { line: "bowline play script.json", about: "as the agent command of the client that you test" },
    { line: "bowline chat -- bowline play script.json", about: "try the script in a terminal" },
    { line: "bowline play --check script.json", about: "in CI or an editor: problems as file:line: text" },
  ],
  exitCodes: { 1: "the script cannot be read or has problems; or its crash step has this code" },
  completes: "file",
  seeAlso: ["replay", "check", "docs/testing.md"],
  run: async ({ options, operands: [path] }, { stdout, stderr }) => {
    if (options["--schema"]) {
      printJson(
        stdout,
        `${JSON.stringify(jsonSchema("bowline play script", Script.node, scriptReferences), null, 2)}\n`,
      );
      return 0;
    }
    if (path === undefined) throw new WrongUsage("play needs <script.json>");
    if (options["--check"]) {
      const result = readJsonText(readText(path, scriptFile.what), path, scriptFile);
      if (result.isValid) return 0;
      for (const problem of result.problems) printLine(stderr, problem);
      return 1;
    }
    const script = readJsonFile(path, scriptFile);
    const faults = readFaults(options);
    reserveStdout();
    const report = (sentence: string): void => void printLine(stderr, `bowline play: ${sentence}`);
    const connection = scriptedAgent({
      link: faults === undefined ? stdioLink() : faultyStdioLink(faults, report),
      script,
      version,
      after: afterWhileRunning,
      newId: randomUUID,
      crash: endProcess,
      report,
    });
    // Not `settled`: a step that hangs for ever would keep the process after the client has left.
    await connection.closed;
    return 0;
  },
});

/** A timer that does not keep the process alive after the client has left. */
const afterWhileRunning: Schedule = (delayMs, run) => {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
};

/** Ends this process without writing what is queued, as a crash does. */
function endProcess(how: number | string): void {
  if (typeof how === "number") process.exit(how);
  process.kill(process.pid, how);
}
