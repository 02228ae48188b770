/**
 * Stdio link: this process's own standard input and output as a link.
 *
 * From here on stdout belongs to the protocol, so `console` writes to stderr.
 */
import { Console } from "node:console";
import type { Link, LinkLimits } from "./link.ts";
import { streamLink } from "./stream-link.ts";

export function stdioLink(limits: LinkLimits = {}): Link {
  globalThis.console = new Console(process.stderr, process.stderr);
  // A closed stderr must not take the agent down with it.
  process.stderr.on("error", () => {});
  return streamLink({ input: process.stdin, output: process.stdout }, limits);
}
