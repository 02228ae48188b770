/**
 * Defines `bowline login`: runs the sign-in of the Claude CLI or of Codex in this terminal.
 */
import { spawnSync } from "node:child_process";
import { defaultRoute, engineIds } from "../../agent/index.ts";
import { signInProgram } from "../../claude/engine/index.ts";
import { codexSignInProgram } from "../../codex/index.ts";
import { command, CommandFailure } from "../command.ts";
import { readEngine } from "../route-option.ts";

export const loginCommand = command({
  name: "login",
  summary: "sign in to Claude Code or Codex, in a terminal",
  about: [
    "Starts the sign-in of the Claude Code or Codex CLI that is installed on this machine. Bowline stores no credentials.",
  ],
  options: {
    "--route": {
      value: "<engine>",
      about: "claude or codex (default: claude, or codex if only Codex is installed)",
      completes: [...engineIds],
    },
    "--device-code": { about: "sign in to Codex with a code, on a machine without a browser" },
  },
  environment: {
    BOWLINE_ROUTE: "same as --route",
    BOWLINE_CLAUDE: "path of the Claude CLI (default: searched on PATH)",
    CODEX_EXECUTABLE: "path of the Codex CLI (default: searched on PATH)",
  },
  exitCodes: { 0: "signed in" },
  examples: [
    { line: "bowline login", about: "opens a browser, or prints an address to open" },
    { line: "bowline login --route codex --device-code", about: "prints a code to enter in a browser elsewhere" },
  ],
  seeAlso: ["doctor"],
  run: ({ options }, { env }) => {
    const route = readEngine(options["--route"], env) ?? defaultRoute(env);
    try {
      const { command: program, args } =
        route === "codex" ? codexSignInProgram(env, options["--device-code"]) : signInProgram(env);
      return spawnSync(program, args, { stdio: "inherit" }).status ?? 1;
    } catch (cause) {
      throw new CommandFailure(cause instanceof Error ? cause.message : "signing in failed", { cause });
    }
  },
});
