/**
 * A sign-in method that runs a command of this program in a terminal.
 */
import type { AuthMethod, InitializeRequest } from "../acp/index.ts";

/** A command line, without a working directory. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

export interface TerminalSignIn {
  readonly id: string;
  readonly name: string;
  /** The arguments of this program that start the sign-in. */
  readonly args: readonly string[];
  readonly description: string;
  /** The title of the terminal. */
  readonly label: string;
  /** What a user without a terminal in the client does, after "To sign in, ". */
  readonly howTo: string;
}

/** A terminal method for clients that can open a terminal, declared by capability or by `_meta`; otherwise a text. */
export function terminalSignIn(
  { id, name, args, description, label, howTo }: TerminalSignIn,
  { clientCapabilities }: InitializeRequest,
  program: Program,
): AuthMethod {
  const takesMeta = clientCapabilities?._meta?.["terminal-auth"] === true;
  if (clientCapabilities?.auth?.terminal !== true && !takesMeta) {
    return { id, name, description: `To sign in, ${howTo}.` };
  }
  const launch = { command: program.command, args: [...program.args, ...args], label };
  return { type: "terminal", id, name, description, args, ...(takesMeta && { _meta: { "terminal-auth": launch } }) };
}
