/**
 * Defines `bowline check`: tests whether an agent keeps the rules of the protocol.
 */
import { list } from "../check/report.ts";
import { groups, inOrder, rules } from "../check/rules.ts";
import { runCheck } from "../check/run-check.ts";
import { command } from "../command.ts";
import { printText } from "../print.ts";
import { readNumber, WrongUsage } from "../argv.ts";

const defaultTimeoutSeconds = 15;

export const checkCommand = command({
  name: "check",
  summary: "test whether an agent keeps the rules of the protocol",
  operands: "-- <agent command>",
  takesProgram: "optional",
  about: [
    "Starts the agent several times, sends it valid and invalid messages, and reports for each rule of the Agent Client Protocol whether the agent keeps it. Each rule names the page of the protocol it comes from; docs/check.md lists them all.",
    "Some rules need a turn: three prompts are sent, and three more that the agent has to refuse; they may cost tokens. The prompts ask for no tools, permission requests are refused, sessions are opened in an empty directory that is removed afterwards, and are deleted if the agent supports it. --no-prompt sends no prompts. If the agent requires a sign-in, the rules that need one are reported as not run.",
  ],
  options: {
    "--prompt": { value: "<text>", about: "text of the prompts, e.g. one that leads to tool calls" },
    "--no-prompt": { about: "send no prompt; the rules that need one are not run" },
    "--auth": { value: "<method>", about: "sign in with this one of the agent's methods first" },
    "--only": {
      value: "<rules>",
      about: "test only these rules or groups, e.g. rpc,prompt/text",
      completes: groups,
    },
    "--timeout": {
      value: "<seconds>",
      about: `how long a response may take (default ${defaultTimeoutSeconds}); a turn may take four times as long`,
    },
    "--stderr": { about: "show what the agent writes to stderr" },
    "--json": { about: "print the findings as JSON" },
    "--junit": { value: "<file>", about: "also write the findings as JUnit XML", completes: "file" },
    "--list": { about: "print the rules and start nothing" },
  },
  environment: { NO_COLOR: "1: no colours" },
  exitCodes: {
    0: "every MUST rule that was tested is kept",
    1: "a MUST rule is broken, or the agent could not be started",
  },
  examples: [
    { line: "bowline check -- bowline", about: "test Bowline itself" },
    { line: "bowline check --no-prompt --json -- npx some-agent --acp", about: "in CI, without using a model" },
    {
      line: 'bowline check --prompt "Read README.md" --only tools -- my-agent',
      about: "test the rules about tool calls",
    },
  ],
  seeAlso: ["doctor", "docs/check.md"],
  run: ({ options, program = [] }, terminal) => {
    const wanted = options["--only"]?.split(",").map((word) => word.trim());
    const chosen = rules.filter(({ id }) => wanted?.some((word) => id === word || id.startsWith(`${word}/`)) ?? true);
    const unknown = wanted?.find((word) => !rules.some(({ id }) => id === word || id.startsWith(`${word}/`)));
    if (unknown !== undefined) throw new WrongUsage(`--only: there is no rule or group ${JSON.stringify(unknown)}`);
    if (options["--list"]) {
      printText(terminal.stdout, list(inOrder(chosen)));
      return 0;
    }
    const [first, ...args] = program;
    if (first === undefined) throw new WrongUsage("check needs -- <agent command>");
    const timeout = options["--timeout"];
    const seconds =
      timeout === undefined ? defaultTimeoutSeconds : readNumber("--timeout", timeout, 0.01, 3600, "seconds");
    return runCheck({
      command: first,
      args,
      rules: chosen,
      limitMs: seconds * 1000,
      prompt: options["--prompt"],
      authMethod: options["--auth"],
      isPrompting: !options["--no-prompt"],
      isJson: options["--json"],
      junit: options["--junit"],
      showsStderr: options["--stderr"],
      terminal,
    });
  },
});
