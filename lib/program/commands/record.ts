/**
 * Defines `bowline record`: the agent, with a tape of all its traffic.
 */
import { routes } from "../../agent/index.ts";
import { defaultTapeDirectory } from "../../tape/index.ts";
import { command } from "../command.ts";
import { agentCommand } from "./agent.ts";

export const recordCommand = command({
  name: "record",
  summary: "run the agent and record the traffic between editor, agent and Claude or Codex",
  operands: "[-- <options of the agent>]",
  takesProgram: "optional",
  about: [
    "Serves Claude Code or Codex as bowline agent does and records both sides, the editor's and the CLI's, each message with its time. One run of the agent gives one tape with all its sessions; stderr names the file. Play it with bowline replay, view it with bowline inspect.",
    "Only you can read a tape (mode 0600 in a directory of mode 0700). Keys, tokens, passwords, headers, the environment of MCP servers, secret values of your environment and the user name in the home path are removed, also where a stream splits them. Prompts, answers and the contents of files stay on the tape: review it before you share it.",
    "A full disk or a directory that cannot be written stops the recording with a warning, never the session.",
  ],
  options: {
    "--route": {
      value: "<engine>",
      about: "claude or codex (default: claude, or codex if only Codex is installed)",
      completes: [...routes],
    },
    "--output": {
      short: "-o",
      value: "<path>",
      about:
        "path of the tape if it ends in .ndjson, else a directory in which each run makes a new tape (default directory: $XDG_STATE_HOME/bowline/tapes; stderr names the file)",
      completes: "file",
    },
    "--unscrubbed": { about: "record everything unchanged, including secrets" },
  },
  environment: {
    BOWLINE_ROUTE: "same as --route",
    BOWLINE_RECORD: "<path>: makes bowline agent record, as this command does",
  },
  examples: [
    { line: "bowline record -o ~/tapes/", about: "as the editor's agent command, in place of bowline" },
    { line: "bowline record -- --edits-in-editor", about: "what follows -- is for bowline agent" },
  ],
  seeAlso: ["tap", "replay", "inspect", "docs/tapes.md"],
  run: ({ options, program = [] }, { stdin, stdout, stderr, env }) => {
    const recorded = {
      ...env,
      BOWLINE_RECORD: options["--output"] ?? defaultTapeDirectory(env),
      ...(options["--unscrubbed"] && { BOWLINE_RECORD_SECRETS: "1" }),
    };
    const route = options["--route"];
    return agentCommand.run([...(route === undefined ? [] : [`--route=${route}`]), ...program], {
      stdin,
      stdout,
      stderr,
      env: recorded,
    });
  },
});
