/**
 * Defines `bowline tap`: records and validates the traffic between an editor and any agent.
 */
import { defaultTapeDirectory } from "../../tape/index.ts";
import { command } from "../command.ts";
import { record } from "../tapes/record.ts";
import { tap } from "../tapes/tap.ts";

export const tapCommand = command({
  name: "tap",
  summary: "put between an editor and any agent: records and checks what passes",
  operands: "-- <agent command>",
  takesProgram: true,
  about: [
    "Starts the agent command and passes every byte on as it is, in both directions, so neither the editor nor the agent can tell that it is there: the end of input, signals, stderr and the exit code are passed on as well. It adds less than a millisecond.",
    "What passes is recorded on a tape, with times. Each message is held against the schema of its method, an answer against that of its request; what is wrong is told on stderr, once each, as the place and the expectation, and marked on the tape. A recording that fails stops nothing.",
    "Tapes are scrubbed and for their owner alone, see bowline record --help. Look at one with bowline inspect, play it with bowline replay.",
  ],
  options: {
    "--output": {
      short: "-o",
      value: "<file>",
      about:
        "the tape, written over when it is there; in a directory (or a name that ends in /) a new one is made each time. Else it is made in $XDG_STATE_HOME/bowline/tapes, and stderr says where",
      completes: "file",
    },
    "--unscrubbed": { about: "write everything as it passes, secrets too" },
  },
  examples: [
    { line: "bowline tap -- claude-agent-acp", about: "as the editor's agent command, in place of claude-agent-acp" },
    { line: "bowline tap -o tape.ndjson -- bowline agent --legacy", about: "what follows -- is the agent as it is" },
  ],
  exitCodes: { 0: "what the agent leaves with is passed on, also when a signal ended it" },
  seeAlso: ["record", "replay", "inspect", "check", "docs/tapes.md"],
  run: ({ options, program = [] }, terminal) => {
    const output = options["--output"];
    const params = {
      what: "tap",
      to: output ?? defaultTapeDirectory(terminal.env),
      isDirectory: output === undefined || /[\\/]$/.test(output),
      isScrubbed: !options["--unscrubbed"],
      meta: { command: program },
    } as const;
    return tap({ program, record: () => record(params, terminal), terminal });
  },
});
