/**
 * Creates a link over stdin and stdout of this process.
 *
 * Anything else that is written to stdout corrupts the protocol. `console.log` writes to stdout
 * too; keeping it silent is the program's job, not the link's.
 */
import type { Link, LinkLimits } from "./link.ts";
import { streamLink } from "./stream-link.ts";

/** A link on stdin and stdout of this process, as an editor starts an agent. */
export function stdioLink(limits: LinkLimits = {}): Link {
  return streamLink({ input: process.stdin, output: process.stdout }, limits);
}
