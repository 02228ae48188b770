/**
 * Child programs for the specs of child-link, each one line of JavaScript.
 */
import { childLink, type ChildLink, type ChildLinkOptions } from "../../../lib/wire/index.ts";
import { LinkLog } from "./link-log.ts";

export interface OpenProgram {
  readonly link: ChildLink;
  readonly log: LinkLog;
}

/** Starts Node with this code, in which `fs` and `say` (writes a line to stdout at once) are defined. */
export function openProgram(code: string, options: ChildLinkOptions = {}, args: readonly string[] = []): OpenProgram {
  const link = program(code, options, args);
  const log = new LinkLog();
  link.open(log);
  return { link, log };
}

export function program(code: string, options: ChildLinkOptions = {}, args: readonly string[] = []): ChildLink {
  const prelude = "const fs = require('fs'); const say = (text) => fs.writeSync(1, text + '\\n');";
  // A busy machine may take seconds to start a program; specs of stopping set a grace of their own.
  return childLink(process.execPath, ["-e", `${prelude}${code}`, "--", ...args], { graceMs: 60_000, ...options });
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Ends a program that a spec left behind on purpose. */
export function endProgram(pid: number): void {
  if (isRunning(pid)) process.kill(pid, "SIGKILL");
}
