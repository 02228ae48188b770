/**
 * A program that plays a recording in place of `codex`.
 *
 * `app-server` plays the file that `TAPE` names, and does not wait for messages of the
 * recorded host that another host does not send. `--version` and `login status` answer as
 * Codex does.
 */
import { readFileSync } from "node:fs";
import { codexTapeLink, codexTapes, isOtherHostsRequest, readRows } from "../../../lib/tape/index.ts";
import { playOnStdio } from "./play-on-stdio.ts";

const [word] = process.argv.slice(2);
if (word === "--version") {
  process.stdout.write("codex-cli 0.166.0\n");
} else if (word === "login") {
  process.stderr.write("Logged in using an API key - sk-fake***key\n");
} else {
  const [tape] = codexTapes(readRows(readFileSync(process.env["TAPE"] ?? "", "utf8")));
  if (tape === undefined) throw new Error("TAPE must name a recording of Codex");
  const codex = codexTapeLink(tape, {
    onWait: (message) => message && isOtherHostsRequest(message) && codex.skip(),
  });
  playOnStdio(codex);
}
