/**
 * Sign-in methods: how a person signs in, as `initialize` offers it.
 *
 * The CLI does the signing in itself, in a terminal; this says how to get there.
 */
import type { AuthMethod, InitializeRequest } from "../../acp/index.ts";

export const signInMethod = "claude-login";

/** How this very program is started, for clients that start it once more in a terminal. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

export function thisProgram(): Program {
  return { command: process.execPath, args: process.argv.slice(1, 2) };
}

export const howToSignIn = "run `claude auth login` in a terminal, or set ANTHROPIC_API_KEY, then try again";

/** A terminal method for clients that can open one, in both dialects; otherwise words. */
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
