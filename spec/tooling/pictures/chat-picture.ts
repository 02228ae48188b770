/**
 * Makes docs/chat.svg: the recorded session as the real program shows it.
 *
 * `node --import tsx spec/tooling/pictures/chat-picture.ts` plays it in a terminal up to
 * its first question and captures the screen.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import { ansiPicture } from "../../support/program/chat/ansi-picture.ts";
import { noPane, Pane } from "../../support/program/chat/tmux-pane.ts";
import { bowline } from "../../support/program/chat/chat-program.ts";

const columns = 90;
const file = fileURLToPath(new URL("../../../docs/chat.svg", import.meta.url));
const missing = noPane();

if (missing !== undefined) {
  process.stderr.write(`picture: ${missing}; install it and try again\n`);
  process.exitCode = 1;
} else {
  using pane = new Pane(bowline("demo"), { columns, rows: 40 });
  await pane.until(/esc says no/);
  // The last drawing is whole after this.
  await pause(200);
  writeFileSync(file, ansiPicture(pane.styled(), columns, "bowline chat"));
  process.stderr.write(`picture: ${file}\n`);
}
