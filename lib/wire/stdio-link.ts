/**
 * Makes a link of this process's own stdin and stdout.
 *
 * Anything else that is written to stdout corrupts the protocol. The link leaves
 * `console` alone, which writes there: that belongs to the program.
 */
import type { Link, LinkLimits } from "./link.ts";
import { streamLink } from "./stream-link.ts";

/** A link on stdin and stdout of this process, as an editor starts an agent. */
export function stdioLink(limits: LinkLimits = {}): Link {
  return streamLink({ input: process.stdin, output: process.stdout }, limits);
}
