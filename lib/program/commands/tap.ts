/**
 * Defines `bowline tap`: records and validates the traffic between an editor and any agent.
 */
import { defaultTapeDirectory } from "../../tape/index.ts";
import { command } from "../command.ts";
import { reserveStdout } from "../protocol-stdout.ts";
import { faultOptions, readFaults } from "../tapes/fault-options.ts";
import { isTapeFile, record } from "../tapes/record.ts";
import { tap } from "../tapes/tap.ts";

export const tapCommand = command({
  name: "tap",
  summary: "record and validate the traffic between an editor and any agent",
  operands: "-- <agent command>",
  takesProgram: true,
  about: [
    "Starts the agent command and forwards every byte unchanged in both directions, as well as the end of input, signals, stderr and the exit code, so that neither the editor nor the agent sees a difference. It adds less than a millisecond.",
    "All messages are recorded on a tape with their times. Each message is validated by the schema of its method, a response by that of its request. Each problem is printed once on stderr, as the place and the expectation, and marked on the tape. A recording that fails does not stop the traffic.",
    "The options from --delay to --faults-on put faults into the messages, the same for the same --seed; docs/testing.md explains them. The tape then has what passed after the faults, and each fault is marked on it.",
    "Secrets are removed from tapes and only you can read them, see bowline record --help. View a tape with bowline inspect, play it with bowline replay.",
  ],
  options: {
    "--output": {
      short: "-o",
      value: "<path>",
      about:
        "path of the tape if it ends in .ndjson, else a directory in which each run makes a new tape (default directory: $XDG_STATE_HOME/bowline/tapes; stderr names the file)",
      completes: "file",
    },
    "--unscrubbed": { about: "record everything unchanged, including secrets" },
    ...faultOptions,
  },
  examples: [
    { line: "bowline tap -- claude-agent-acp", about: "as the editor's agent command, in place of claude-agent-acp" },
    {
      line: "bowline tap -o tape.ndjson -- bowline agent --legacy",
      about: "everything after -- is the agent's command line",
    },
  ],
  exitCodes: { 0: "the agent's exit code is passed on, also when a signal ended the agent" },
  seeAlso: ["record", "replay", "inspect", "check", "docs/tapes.md"],
  run: ({ options, program = [] }, terminal) => {
    reserveStdout();
    const output = options["--output"];
    const params = {
      what: "tap",
      to: output ?? defaultTapeDirectory(terminal.env),
      isDirectory: output === undefined || !isTapeFile(output),
      isScrubbed: !options["--unscrubbed"],
      meta: { command: program },
    } as const;
    const faults = readFaults(options);
    return tap({ program, record: () => record(params, terminal), faults, terminal });
  },
});
