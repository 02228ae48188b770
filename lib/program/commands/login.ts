/**
 * Defines `bowline login`: runs the Claude CLI's own sign-in in this terminal.
 */
import { spawnSync } from "node:child_process";
import { signInProgram } from "../../claude/engine/index.ts";
import { command, CommandFailure } from "../command.ts";

export const loginCommand = command({
  name: "login",
  summary: "sign in to Claude Code, in a terminal",
  about: [
    "Starts the sign-in of the Claude Code CLI that is installed on this machine. Bowline stores no credentials.",
  ],
  options: {},
  environment: { BOWLINE_CLAUDE: "path of the Claude CLI (default: searched on PATH)" },
  exitCodes: { 0: "signed in" },
  examples: [{ line: "bowline login", about: "opens a browser, or prints an address to open" }],
  seeAlso: ["doctor"],
  run: (_words, { env }) => {
    try {
      const { command: program, args } = signInProgram(env);
      return spawnSync(program, args, { stdio: "inherit" }).status ?? 1;
    } catch (cause) {
      throw new CommandFailure(cause instanceof Error ? cause.message : "signing in failed", { cause });
    }
  },
});
