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
  summary: "see whether an agent keeps the rules of the protocol",
  operands: "-- <agent command>",
  takesProgram: "optional",
  about: [
    "Starts the agent several times, speaks to it as an editor would and as no editor should, and says for each rule of the Agent Client Protocol whether the agent keeps it. Each rule names the page of the protocol it comes from; docs/check.md has them all.",
    "Some rules need a turn: three prompts are sent, and three more that have to be refused; they may cost tokens. They ask for no tools, permissions are refused, and sessions are opened in an empty directory that is removed afterwards; sessions are deleted where the agent can. --no-prompt sends none. An agent that wants a sign-in is checked as far as that goes, and what needs one is said to be not run.",
  ],
  options: {
    "--prompt": { value: "<text>", about: "what is sent as prompt, e.g. to see tool calls" },
    "--no-prompt": { about: "send no prompt; the rules that need one are not run" },
    "--auth": { value: "<method>", about: "sign in with this one of the agent's methods first" },
    "--only": {
      value: "<rules>",
      about: "only these rules or groups, e.g. rpc,prompt/text",
      completes: groups,
    },
    "--timeout": {
      value: "<seconds>",
      about: `how long an answer may take (${defaultTimeoutSeconds}); a turn has four times that`,
    },
    "--stderr": { about: "show what the agent writes to stderr" },
    "--json": { about: "findings as JSON on stdout" },
    "--list": { about: "print the rules and start nothing" },
  },
  environment: { NO_COLOR: "1: no colours" },
  exitCodes: { 0: "every MUST that was tried is kept", 1: "a MUST is broken, or the agent could not be started" },
  examples: [
    { line: "bowline check -- bowline", about: "Bowline itself" },
    { line: "bowline check --no-prompt --json -- npx some-agent --acp", about: "in CI, without a model" },
    { line: 'bowline check --prompt "Read README.md" --only tools -- my-agent', about: "the rules on tool calls" },
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
      showsStderr: options["--stderr"],
      terminal,
    });
  },
});
