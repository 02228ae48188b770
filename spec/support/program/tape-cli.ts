/**
 * A program that plays a recording in place of `claude`.
 *
 * Plays the file that `TAPE` names, in its working directory. Does not wait for what the
 * recorded host sent.
 */
import { readFileSync } from "node:fs";
import { relocate, isHostSpecific, readTape, tapeLink } from "../../../lib/tape/index.ts";
import { stdioLink } from "../../../lib/wire/index.ts";

const tape = relocate(readTape(readFileSync(process.env["TAPE"] ?? "", "utf8")), process.cwd());
const host = stdioLink();
const cli = tapeLink(tape, { onWait: (frame) => frame && isHostSpecific(tape, frame) && cli.skip() });
cli.open({
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
  onLine: (line) => cli.send(line),
  onFault: () => {},
  onDrain: () => {},
  onEnd: () => host.close("the host ended"),
  onClose: () => process.exit(0),
});
