/**
 * Defines `bowline record`: the agent, with a tape of all its traffic.
 */
import { defaultTapeDirectory } from "../../tape/index.ts";
import { command } from "../command.ts";
import { agentCommand } from "./agent.ts";

export const recordCommand = command({
  name: "record",
  summary: "the agent, recording what passes between editor, agent and Claude",
  operands: "[-- <options of the agent>]",
  takesProgram: "optional",
  about: [
    "Serves Claude Code as bowline agent does and writes down both its sides, the editor's and the CLI's, each message with its time. One run of the agent is one tape, with all its sessions; stderr says which file it is. Replay it with bowline replay, look at it with bowline inspect.",
    "Tapes are for their owner alone (0600 in a directory of 0700). Keys, tokens, passwords, headers, the environment of MCP servers, secret values of the own environment and the name in the home path are scrubbed, also where a stream has cut them in pieces. Prompts, answers and the files they speak of are on the tape: look at it before you give it away.",
    "A full disk or a directory that cannot be written stops the recording with a warning, never the session.",
  ],
  options: {
    "--output": {
      short: "-o",
      value: "<dir>",
      about: "where the tape is made; else $XDG_STATE_HOME/bowline/tapes, which is ~/.local/state/bowline/tapes",
      completes: "directory",
    },
    "--unscrubbed": { about: "write everything as it passes, secrets too" },
  },
  environment: { BOWLINE_RECORD: "<dir>: bowline agent records too, as if it were called so" },
  examples: [
    { line: "bowline record -o ~/tapes", about: "as the editor's agent command, in place of bowline" },
    { line: "bowline record -- --edits-in-editor", about: "what follows -- is for bowline agent" },
  ],
  seeAlso: ["tap", "replay", "inspect", "docs/tapes.md"],
  run: ({ options, program = [] }, { stdin, stdout, stderr, env }) => {
    const recorded = {
      ...env,
      BOWLINE_RECORD: options["--output"] ?? defaultTapeDirectory(env),
      ...(options["--unscrubbed"] && { BOWLINE_RECORD_SECRETS: "1" }),
    };
    return agentCommand.run(program, { stdin, stdout, stderr, env: recorded });
  },
});
