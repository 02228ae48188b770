/**
 * Defines `bowline expect`: judges a tape or a live run by a file of expectations.
 */
import { reportStyle } from "../ansi.ts";
import { readNumber, WrongUsage } from "../argv.ts";
import { command } from "../command.ts";
import { Expectations, expectationsFile, checkExpectations, type Verdict } from "../expect/expectations.ts";
import { liveRun } from "../expect/live-run.ts";
import { runFacts } from "../expect/run-facts.ts";
import { jsonSchema } from "../json-file/json-schema.ts";
import { readJsonFile } from "../json-file/read-json-file.ts";
import { junitXml } from "../junit.ts";
import { writeSharedFile } from "../write-file.ts";
import { oneLine, printJson, printText } from "../print.ts";
import { readTapeFile } from "../tapes/load-tape.ts";

const defaultTimeoutSeconds = 300;

export const expectCommand = command({
  name: "expect",
  summary: "judge a tape or a live run by a file of expectations, for CI",
  operands: "<tape> or -- <agent command>",
  operandCount: [0, 1],
  takesProgram: "optional",
  about: [
    "Reads what happened between the editor and the agent, from a tape or from a run of the agent command with --prompt, and judges it: tools called in order, files changed, permissions asked, stop reasons, tokens, cost and time, texts that must or must not appear. docs/testing.md has every expectation.",
    "An expectation about something that the run does not report, such as a cost, is not met. In a live run every permission request is refused unless --allow is given, and the agent gets the rights that it has without an editor.",
  ],
  options: {
    "--expect": { value: "<file>", about: "the expectations, as JSON", completes: "file" },
    "--prompt": {
      value: "<text>",
      about: "in a live run: the prompt; lines that are only --- separate several prompts",
    },
    "--cwd": {
      value: "<directory>",
      about: "in a live run: the session's directory (default: this one)",
      completes: "directory",
    },
    "--allow": { about: "in a live run: allow every permission request once" },
    "--timeout": {
      value: "<seconds>",
      about: `in a live run: ends the run after this time (default ${defaultTimeoutSeconds})`,
    },
    "--json": { about: "print the verdicts as JSON" },
    "--junit": { value: "<file>", about: "also write the verdicts as JUnit XML", completes: "file" },
    "--schema": { about: "print the JSON schema of expectations" },
  },
  environment: { NO_COLOR: "1: no colours" },
  exitCodes: { 0: "every expectation is met", 1: "an expectation is not met, or the run could not be read or started" },
  examples: [
    { line: "bowline expect tape.ndjson --expect expect.json --junit expect.xml", about: "judge a recording in CI" },
    {
      line: 'bowline expect --expect expect.json --prompt "fix the typo" --allow -- claude-agent-acp',
      about: "run any agent once and judge the run",
    },
  ],
  completes: "file",
  seeAlso: ["tap", "play", "check", "docs/testing.md"],
  run: async ({ options, operands: [tape], program }, { stdout, env }) => {
    if (options["--schema"]) {
      printJson(stdout, `${JSON.stringify(jsonSchema("bowline expect", Expectations.node), null, 2)}\n`);
      return 0;
    }
    const file = options["--expect"];
    if (file === undefined) throw new WrongUsage("expect needs --expect <file>");
    if ((tape === undefined) === (program === undefined))
      throw new WrongUsage("expect needs either a <tape> or -- <agent command>");
    const prompt = options["--prompt"];
    if (program !== undefined && prompt === undefined) throw new WrongUsage("a live run needs --prompt <text>");
    const expected = readJsonFile(file, expectationsFile);
    const timeout = options["--timeout"];
    const seconds =
      timeout === undefined ? defaultTimeoutSeconds : readNumber("--timeout", timeout, 1, 86_400, "seconds");
    const rows =
      program === undefined
        ? (await readTapeFile(tape ?? "")).rows
        : await liveRun({
            program,
            prompts: (prompt ?? "").split(/^---$/m).map((text) => text.trim()),
            cwd: options["--cwd"] ?? process.cwd(),
            isAllowing: options["--allow"],
            limitMs: seconds * 1000,
            env,
          });
    const verdicts = checkExpectations(expected, runFacts(rows));
    const isMet = verdicts.every(({ status }) => status === "pass");
    const junit = options["--junit"];
    if (junit !== undefined)
      writeSharedFile(
        junit,
        junitXml(
          "bowline expect",
          verdicts.map((one) => ({ ...one, group: "expect" })),
        ),
      );
    if (options["--json"]) printJson(stdout, `${JSON.stringify({ isMet, expectations: verdicts }, null, 2)}\n`);
    else printText(stdout, verdicts.map((one) => line(one, reportStyle(stdout, env))).join(""));
    return isMet ? 0 : 1;
  },
});

function line({ name, status, why }: Verdict, paint: ReturnType<typeof reportStyle>): string {
  const mark = status === "pass" ? paint.green("ok  ") : paint.red("FAIL");
  return `${mark}  ${oneLine(name)}${why === undefined ? "" : `: ${oneLine(why)}`}\n`;
}
