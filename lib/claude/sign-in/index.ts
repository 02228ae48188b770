/**
 * The sign-in methods that `initialize` offers.
 *
 * The CLI itself signs the user in, in a terminal; the methods say how to start that.
 * Loaded before the rest of the agent (see lib/agent/early-initialize.ts), so it must not
 * import the rest of the claude module.
 */
import type { AuthMethod, InitializeRequest } from "../../acp/index.ts";

export const signInMethod = "claude-login";

/** A command line, without a working directory. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** The command line of this program. A client starts it again in a terminal to sign in. */
export function thisProgram(): Program {
  return { command: process.execPath, args: process.argv.slice(1, 2) };
}

export const howToSignIn = "run `claude auth login` in a terminal, or set ANTHROPIC_API_KEY, then try again";

/** A terminal method for clients that can open a terminal, declared by capability or by `_meta`; otherwise a text. */
export function signInMethods({ clientCapabilities }: InitializeRequest, program: Program): readonly AuthMethod[] {
  const name = "Sign in with Claude Code";
  const takesMeta = clientCapabilities?._meta?.["terminal-auth"] === true;
  if (clientCapabilities?.auth?.terminal !== true && !takesMeta) {
    return [{ id: signInMethod, name, description: `To sign in, ${howToSignIn}.` }];
  }
  const launch = { command: program.command, args: [...program.args, "login"], label: "Claude Code sign-in" };
  return [
    {
      type: "terminal",
      id: signInMethod,
      name,
      description: "Opens the sign-in of Claude Code in a terminal",
      args: ["login"],
      ...(takesMeta && { _meta: { "terminal-auth": launch } }),
    },
  ];
}
