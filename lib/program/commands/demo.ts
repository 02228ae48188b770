/**
 * Defines `bowline demo`: plays a recorded session in this terminal.
 */
import { command } from "../command.ts";
import { demo } from "../demo/demo.ts";
import { programName } from "./chat.ts";

export const demoCommand = command({
  name: "demo",
  summary: "watch a recorded session; needs no Claude and no account",
  about: [
    "Plays a recorded session of Claude Code through the whole agent and shows it as bowline chat would: streamed text, a plan, a diff, a command, and two questions that you answer by a key. Saying no is fine, it goes on in another way.",
    "Needs no Claude, no network and no account, and writes nothing. Where no terminal is attached it answers by itself, plays through at once and exits with 0.",
  ],
  options: {},
  environment: { NO_COLOR: "any text: no colours", FORCE_COLOR: "1: colours also in a pipe" },
  examples: [{ line: "bowline demo", about: "watch it" }],
  seeAlso: ["chat"],
  run: (_words, terminal) => demo(terminal, programName()),
});
