/**
 * Defines `bowline packets`: converts a conversation to packets for a web page.
 */
import { createReadStream } from "node:fs";
import { command, CommandFailure } from "../command.ts";
import { filterPackets } from "../packets/packet-filter.ts";
import { printLine } from "../print.ts";
import { WrongUsage } from "../argv.ts";

export const packetsCommand = command({
  name: "packets",
  summary: "turn a conversation into the packets a web page renders",
  operands: "[file]",
  operandCount: [0, 1],
  about: [
    "Reads a conversation, one JSON object a line, from a file or from stdin, and writes packets to stdout, one a line, as they arrive. docs/packets.md describes each packet.",
    'A line may be a message of the Agent Client Protocol as it goes over the wire, an update on its own ({"sessionId":…,"update":…}), a row of a tape ({"dir":"out","msg":…}), or a line that `claude --output-format stream-json` prints. They may be mixed.',
    "Sessions are kept apart, also when their lines are mixed. A line that cannot be parsed is reported on stderr and skipped; the exit code is 1 only when no line could be parsed.",
  ],
  options: {
    "--strict": {
      about:
        "only the packets marked with a star in docs/packets.md: no thoughts, no user messages, no permissions, no images, and few timestamps",
    },
    "--session": { value: "<id>", about: "write the packets of this session alone" },
    "--with-session": { about: 'wrap each packet as {"sessionId":…,"packet":…}' },
    "--cwd": {
      value: "<directory>",
      about: "the session's directory, if the conversation does not name it; titles show paths relative to it",
      completes: "directory",
    },
  },
  examples: [
    { line: "bowline packets tape.ndjson", about: "convert a tape" },
    {
      line: "claude -p --verbose --output-format stream-json 'Say hello.' | bowline packets",
      about: "convert one turn of the Claude CLI, live",
    },
    {
      line: "bowline packets tape.ndjson | jq -c 'select(.artifact) | .artifact.path'",
      about: "list the paths of the files that were created",
    },
  ],
  run: async ({ options, operands: [file = "-"] }, { stdin, stdout, stderr }) => {
    if (file === "-" && stdin.isTTY) throw new WrongUsage("packets needs a file, or a conversation on stdin");
    try {
      const { readLines, badLines } = await filterPackets(file === "-" ? stdin : createReadStream(file), stdout, {
        now: Date.now,
        isStrict: options["--strict"],
        cwd: options["--cwd"],
        sessionId: options["--session"],
        isNamed: options["--with-session"],
        onRemark: (text) => printLine(stderr, `bowline: ${text}`),
      });
      if (badLines > 0 && readLines === 0)
        throw new CommandFailure("nothing could be read; see bowline packets --help for what it takes");
      return 0;
    } catch (cause) {
      if (file === "-" || !isFileError(cause)) throw cause;
      throw new CommandFailure(`${file} cannot be read (${cause.code}); name a file that is there`, { cause });
    }
  },
});

function isFileError(cause: unknown): cause is NodeJS.ErrnoException {
  return cause instanceof Error && "code" in cause && "syscall" in cause;
}
