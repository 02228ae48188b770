/**
 * Defines `bowline guard`: answers an agent's permission requests by a policy.
 */
import { childLink, describeBug, streamLink, realTimer } from "../../wire/index.ts";
import { WrongUsage } from "../argv.ts";
import { command, CommandFailure } from "../command.ts";
import { openDecisionLog } from "../guard/decision-log.ts";
import { guard } from "../guard/guard.ts";
import { Policy, policyFile } from "../guard/policy.ts";
import { jsonSchema } from "../json-file/json-schema.ts";
import { readJsonFile } from "../json-file/read-json-file.ts";
import { printJson, printLine, printText } from "../print.ts";
import { reserveStdout } from "../protocol-stdout.ts";
import { shareSessions } from "../share/share-sessions.ts";

export const guardCommand = command({
  name: "guard",
  summary: "answer the permission requests of any agent by a policy",
  operands: "-- <agent command>",
  takesProgram: "optional",
  about: [
    "Runs between an editor and an agent. Permission requests, and requests for the editor's files and terminals, are allowed once, denied or asked by the rules of the policy: by the kind of tool, the path, the command, the tool's name, the MCP server. What no rule matches, and what is not understood, is asked in the editor (with --share also on the page of your bowline serve) or denied, never allowed. A turn that calls a denied tool without asking is cancelled.",
    "Each decision is written to a log that only you can read. The guard sees only what the agent says on the wire: an agent that does not ask, or describes a call wrongly, is not stopped. It is no sandbox; docs/guard.md has the limits.",
  ],
  options: {
    "--policy": { value: "<file>", about: "the policy, as JSON", completes: "file" },
    "--log": {
      value: "<file>",
      about: "where decisions are written (default: a new file in $XDG_STATE_HOME/bowline/guard)",
      completes: "file",
    },
    "--share": { about: "show the sessions also on the page of your bowline serve, where questions can be answered" },
    "--check": { about: "read the policy, report its problems and start nothing" },
    "--schema": { about: "print the JSON schema of policies" },
  },
  exitCodes: {
    0: "the editor or the agent closed the connection",
    1: "the policy, the log or the agent could not be opened",
  },
  examples: [
    { line: "bowline guard --policy policy.json -- claude-agent-acp", about: "as the editor's agent command" },
    {
      line: "bowline guard --policy policy.json --share -- claude-agent-acp",
      about: "what is left to ask is asked on the page of bowline serve too",
    },
    { line: "bowline guard --policy policy.json --check", about: "problems of the policy, with line numbers" },
  ],
  seeAlso: ["tap", "serve", "docs/guard.md"],
  run: async ({ options, program }, terminal) => {
    const { stdin, stdout, stderr, env } = terminal;
    if (options["--schema"]) {
      printJson(stdout, `${JSON.stringify(jsonSchema("bowline guard policy", Policy.node), null, 2)}\n`);
      return 0;
    }
    const file = options["--policy"];
    if (file === undefined) throw new WrongUsage("guard needs --policy <file>");
    const policy = readJsonFile(file, policyFile);
    if (options["--check"]) return 0;
    const [name, ...args] = program ?? [];
    if (name === undefined) throw new WrongUsage("guard needs -- <agent command>");
    reserveStdout();
    const report = (sentence: string): void => void printLine(stderr, `bowline guard: ${sentence}`);
    const log = openDecisionLog(options["--log"], env, () => new Date());
    const agent = childLink(name, args, { env, onStderr: (text) => void printText(stderr, text) });
    if (agent.pid === undefined) throw new CommandFailure(`could not start ${name}: is it installed and on PATH?`);
    report(`decisions are logged to ${log.path}`);
    const editor = streamLink({ input: stdin, output: stdout });
    if (!options["--share"]) {
      await guard({ editor, agent, policy, log, after: realTimer, report });
    } else {
      const onBug = (doing: string, cause: unknown): void => report(`${doing}: ${describeBug(cause)}`);
      const shared = shareSessions({ env, editor, onNotice: report, onBug });
      void shared.editorGone.then(() => shared.link.close("the editor has left"));
      await guard({ editor: shared.link, answerer: "editor or page", agent, policy, log, after: realTimer, report });
      await shared.close();
    }
    log.close();
    return 0;
  },
});
