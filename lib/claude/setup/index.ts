/**
 * What is known of the Claude CLI before its code is needed: where it is installed, and
 * how the user signs in. Whether the user is signed in: engine/sign-in.ts and engine/failures.ts.
 *
 * Loaded before the rest of the agent (see lib/agent/early-initialize.ts), so it must not
 * import the rest of the claude module.
 */
import type { TerminalSignIn } from "../../display/index.ts";
import type { ExecutableQuery } from "../../process/index.ts";

export const claudeExecutable: ExecutableQuery = {
  variables: ["BOWLINE_CLAUDE", "CLAUDE_CODE_EXECUTABLE"],
  names: ["claude"],
  places: [
    ".local/bin",
    ".claude/local",
    ".claude/local/node_modules/.bin",
    ".npm-global/bin",
    ".bun/bin",
    ".volta/bin",
    "AppData/Roaming/npm",
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/usr/bin",
  ],
};

export const howToSignIn = "run `claude auth login` in a terminal, or set ANTHROPIC_API_KEY, then try again";

/** The CLI itself signs the user in, in a terminal. */
export const claudeSignIn: readonly TerminalSignIn[] = [
  {
    id: "claude-login",
    name: "Sign in with Claude Code",
    args: ["login"],
    description: "Opens the sign-in of Claude Code in a terminal",
    label: "Claude Code sign-in",
    howTo: howToSignIn,
  },
];
