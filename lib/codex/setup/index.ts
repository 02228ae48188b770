/**
 * What is known of Codex before its code is needed: where it is installed, and how the
 * user signs in. Whether the user is signed in: engine/account.ts.
 *
 * Loaded before the rest of the agent (see lib/agent/early-initialize.ts), so it must not
 * import the rest of the codex module.
 */
import type { TerminalSignIn } from "../../display/index.ts";
import type { ExecutableQuery } from "../../process/index.ts";

export const codexExecutable: ExecutableQuery = {
  variables: ["CODEX_EXECUTABLE", "CODEX_PATH"],
  names: ["codex"],
  places: [
    ".local/bin",
    ".npm-global/bin",
    ".bun/bin",
    ".volta/bin",
    ".codex/bin",
    "AppData/Roaming/npm",
    "/opt/homebrew/bin",
    "/usr/local/bin",
    "/usr/bin",
  ],
};

export const howToSignInToCodex =
  "run `codex login` in a terminal, or `codex login --device-auth` on a machine without a browser, then try again";

/** Codex itself signs the user in, in a terminal. */
export const codexSignIn: readonly TerminalSignIn[] = [
  {
    id: "codex-login",
    name: "Sign in with Codex",
    args: ["login", "--route=codex"],
    description: "Opens the sign-in of Codex in a terminal",
    label: "Codex sign-in",
    howTo: howToSignInToCodex,
  },
  {
    id: "codex-device-login",
    name: "Sign in with Codex and a device code",
    args: ["login", "--route=codex", "--device-code"],
    description: "Shows a code that you enter in a browser on any machine",
    label: "Codex sign-in",
    howTo: "run `codex login --device-auth` in a terminal",
  },
];
