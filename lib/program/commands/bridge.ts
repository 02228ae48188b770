/**
 * Defines `bowline bridge`: many Claude sessions for a program in any language.
 */
import { serveBridge } from "../../bridge/index.ts";
import { command } from "../command.ts";
import { readNumber } from "../argv.ts";
import { reserveStdout } from "../protocol-stdout.ts";

/** The longest delay of a Node timer. */
const maxTimerSeconds = 2_147_483;

export const bridgeCommand = command({
  name: "bridge",
  summary: "run many Claude sessions for a program, as JSON lines on stdin and stdout",
  about: [
    "A program in any language starts it and speaks the protocol of docs/bridge.md: it creates sessions, sends prompts, reads the CLI's own messages as they come, and answers permissions and hooks. Closing stdin ends every session.",
  ],
  options: {
    "--callback-timeout": {
      value: "<seconds>",
      about: "how long a permission request or a hook waits for its answer (default 300; 0: no limit)",
    },
  },
  environment: { BOWLINE_CLAUDE: "path of the Claude CLI (default: searched on PATH)" },
  exitCodes: { 0: "stdin ended, or a signal arrived; no process is left running" },
  examples: [
    { line: "bowline bridge --callback-timeout 60", about: "deny requests that are not answered within a minute" },
  ],
  seeAlso: ["docs/bridge.md"],
  run: ({ options }) => {
    const given = options["--callback-timeout"];
    const seconds =
      given === undefined ? undefined : readNumber("--callback-timeout", given, 0, maxTimerSeconds, "seconds");
    reserveStdout();
    return serveBridge({ callbackTimeoutMs: seconds === undefined ? undefined : Math.ceil(seconds * 1000) });
  },
});
