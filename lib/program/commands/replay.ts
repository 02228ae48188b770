/**
 * Defines `bowline replay`: an agent that plays a tape.
 */
import { command } from "../command.ts";
import { printLine } from "../print.ts";
import { replayAgent, replayClaude } from "../tapes/replay.ts";
import { readTapeFile } from "../tapes/load-tape.ts";
import { readNumber } from "../argv.ts";

export const replayCommand = command({
  name: "replay",
  summary: "an agent that plays a tape, the same each time, without a network",
  operands: "<tape>",
  operandCount: [1, 1],
  about: [
    "Speaks the Agent Client Protocol on stdin and stdout and answers as the recorded agent did, as far as the client does what the recorded one did: the same requests in each session, the same decisions. What the client calls its requests, its terminals and its directory may be other names; prompts may say something else, unless it is strict.",
    "A client that departs from the tape is told: a request that was not recorded is answered with an error, a turn that is decided otherwise is given up, stderr says what was sent and what the recording has. What was recorded after it can still be played.",
    "With --claude the tape takes the place of the Claude CLI and the real agent runs on top of it. That works with recordings of the CLI alone, too.",
  ],
  options: {
    "--claude": { about: "play the CLI's side, with the real agent on top" },
    "--speed": {
      value: "<speed>",
      about: "recorded, or how many times as fast, e.g. 4; else everything is said at once",
      completes: ["recorded", "2", "10"],
    },
    "--strict": { about: "the first departure ends it with exit code 1; prompts must be the recorded ones" },
  },
  examples: [
    { line: "bowline replay tape.ndjson", about: "as an editor's agent command, or in a test of a client" },
    { line: "bowline replay --strict tape.ndjson", about: "in CI: a client that changed what it sends fails" },
    { line: "bowline replay --claude --speed recorded tape.ndjson", about: "today's agent, yesterday's Claude" },
  ],
  exitCodes: { 1: "with --strict: the client departed from the tape; or the tape cannot be read" },
  completes: "file",
  seeAlso: ["record", "tap", "inspect", "docs/tapes.md"],
  run: async ({ options, operands: [path = ""] }, { stderr }) => {
    const given = options["--speed"];
    const speed =
      given === undefined || given === "recorded"
        ? given && 1
        : readNumber("--speed", given, 0.01, 1000, "times, or recorded");
    const { rows } = await readTapeFile(path);
    const play = options["--claude"] ? replayClaude : replayAgent;
    const report = (sentence: string): void => void printLine(stderr, `bowline replay: ${sentence}`);
    return play(rows, { speed, isStrict: options["--strict"], report });
  },
});
