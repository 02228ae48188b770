/**
 * Where the program keeps files of its own: below XDG_STATE_HOME, or LOCALAPPDATA on Windows.
 */
import type { Environment } from "../process/index.ts";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export function stateDirectory(env: Environment, platform: string): string {
  const { XDG_STATE_HOME, LOCALAPPDATA, HOME, USERPROFILE } = env;
  const home = HOME || USERPROFILE || homedir();
  const named = platform === "win32" ? LOCALAPPDATA : XDG_STATE_HOME;
  // The XDG specification says that relative paths must be ignored.
  const state = named !== undefined && isAbsolute(named) ? named : join(home, ".local", "state");
  return join(state, "bowline");
}
