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
    "Plays a recorded session of Claude Code through the whole agent and shows it as bowline chat would: streamed text, a plan, a diff, a command, and two permission requests that you answer with a key. If you refuse one, the session continues differently.",
    "Needs no Claude, no network and no account, and writes nothing. Without a terminal it answers the requests itself, plays without pauses and exits with 0.",
  ],
  options: { "--duet": { about: "play a turn in which Claude and Codex answer, one after the other" } },
  environment: { NO_COLOR: "any value: no colours", FORCE_COLOR: "1: colours even in a pipe" },
  examples: [
    { line: "bowline demo", about: "watch it" },
    { line: "bowline demo --duet", about: "Claude and Codex answer the same question" },
  ],
  seeAlso: ["chat"],
  run: ({ options }, terminal) => demo(terminal, programName(), options["--duet"] ? "duet" : "session"),
});
