/**
 * Plays a tape on stdin and stdout: what the programs in place of `claude` and `codex` share.
 */
import { type Link, stdioLink } from "../../../lib/wire/index.ts";

/** Forwards lines between the host and the tape; the process exits when the host ends. */
export function playOnStdio(tape: Link): void {
  const host = stdioLink();
  tape.open({
    onLine: (line) => host.send(line),
    onFault: () => {},
    onDrain: () => {},
    onEnd: () => {},
    onClose: (reason) => {
      process.stderr.write(`${reason}\n`);
      host.close(reason);
    },
  });
  host.open({
    onLine: (line) => tape.send(line),
    onFault: () => {},
    onDrain: () => {},
    onEnd: () => host.close("the host ended"),
    onClose: () => process.exit(0),
  });
}
