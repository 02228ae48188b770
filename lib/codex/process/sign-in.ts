/**
 * The command line of Codex that signs the user in. It needs a terminal.
 */
import type { Program } from "../../display/index.ts";
import type { Environment } from "../../process/index.ts";
import { locateCodex } from "./find-codex.ts";

/** `isDeviceCode`: the user enters a code in a browser, which may be on another machine. */
export function codexSignInProgram(env: Environment, isDeviceCode: boolean): Program {
  const { command, args } = locateCodex({ env });
  return { command, args: [...args, "login", ...(isDeviceCode ? ["--device-auth"] : [])] };
}
