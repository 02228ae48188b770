/**
 * A program that plays a recording in place of `codex`.
 *
 * `app-server` plays the file that `TAPE` names, and does not wait for what the recorded
 * host sent. `--version` and `login status` answer as Codex does.
 */
import { readFileSync } from "node:fs";
import { codexTapeLink, codexTapes, isOtherHostsRequest, readRows } from "../../../lib/tape/index.ts";
import { stdioLink } from "../../../lib/wire/index.ts";

const [word] = process.argv.slice(2);
if (word === "--version") {
  process.stdout.write("codex-cli 0.166.0\n");
} else if (word === "login") {
  process.stderr.write("Logged in using an API key - sk-fake***key\n");
} else {
  play();
}

function play(): void {
  const [tape] = codexTapes(readRows(readFileSync(process.env["TAPE"] ?? "", "utf8")));
  if (tape === undefined) throw new Error("TAPE must name a recording of Codex");
  const host = stdioLink();
  const codex = codexTapeLink(tape, {
    onWait: (message) => message && isOtherHostsRequest(message) && codex.skip(),
  });
  codex.open({
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
    onLine: (line) => codex.send(line),
    onFault: () => {},
    onDrain: () => {},
    onEnd: () => host.close("the host ended"),
    onClose: () => process.exit(0),
  });
}
