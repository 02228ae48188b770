/**
 * Defines `bowline replay`: an agent that plays a tape.
 */
import type { Link } from "../../wire/index.ts";
import { command } from "../command.ts";
import { printLine } from "../print.ts";
import { faultOptions, faultyStdioLink, readFaults } from "../tapes/fault-options.ts";
import { replayAgent, replayClaude, replayCodex } from "../tapes/replay.ts";
import { readTapeFile } from "../tapes/load-tape.ts";
import { readNumber, WrongUsage } from "../argv.ts";
import { reserveStdout } from "../protocol-stdout.ts";

export const replayCommand = command({
  name: "replay",
  summary: "an agent that plays a tape, the same each time, without a network",
  operands: "<tape>",
  operandCount: [1, 1],
  about: [
    "Speaks the Agent Client Protocol on stdin and stdout and answers as the recorded agent did, as long as the client does what the recorded client did: the same requests in each session and the same decisions. Request ids, terminal ids and the directory may differ; without --strict the text of prompts may differ too.",
    "When the client deviates from the tape, a request that was not recorded is answered with an error, a turn with another decision is ended, and stderr says what was sent and what the recording has. Later parts of the tape can still be played.",
    "The options from --delay to --faults-on put faults into the messages, the same for the same --seed; docs/testing.md explains them.",
    "With --claude the tape replaces the Claude CLI, with --codex it replaces Codex, and the real agent runs on top of it. This also works with recordings of the CLI alone.",
  ],
  options: {
    "--claude": { about: "play the side of the Claude CLI, with the real agent on top" },
    "--codex": { about: "play the side of Codex, with the real agent on top" },
    "--speed": {
      value: "<speed>",
      about: "recorded, or a multiple of the recorded speed, e.g. 4 (default: without delays)",
      completes: ["recorded", "2", "10"],
    },
    "--strict": { about: "exit with code 1 at the first deviation; the text of prompts must match too" },
    ...faultOptions,
  },
  examples: [
    { line: "bowline replay tape.ndjson", about: "as an editor's agent command, or in a test of a client" },
    { line: "bowline replay --strict tape.ndjson", about: "in CI: a client that changed what it sends fails" },
    {
      line: "bowline replay --claude --speed recorded tape.ndjson",
      about: "run today's agent on recorded output of the CLI",
    },
  ],
  exitCodes: { 1: "the tape cannot be read; with --strict: the client deviated from the tape" },
  completes: "file",
  seeAlso: ["record", "tap", "inspect", "docs/tapes.md"],
  run: async ({ options, operands: [path = ""] }, terminal) => {
    if (options["--claude"] && options["--codex"]) throw new WrongUsage("--claude and --codex exclude each other");
    reserveStdout();
    const given = options["--speed"];
    const speed =
      given === undefined || given === "recorded"
        ? given && 1
        : readNumber("--speed", given, 0.01, 1000, "times, or recorded");
    const faults = readFaults(options);
    const { rows } = await readTapeFile(path);
    const play = options["--claude"] ? replayClaude : options["--codex"] ? replayCodex : replayAgent;
    const report = (sentence: string): void => void printLine(terminal.stderr, `bowline replay: ${sentence}`);
    const link = faults && ((): Link => faultyStdioLink(faults, report));
    return play(rows, { speed, isStrict: options["--strict"], report, link });
  },
});
