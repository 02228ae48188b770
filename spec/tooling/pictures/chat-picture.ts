/**
 * Makes docs/chat.svg and docs/duet.svg: the recorded sessions as the real program shows them.
 *
 * `node --import tsx spec/tooling/pictures/chat-picture.ts` plays them in a terminal, the
 * first up to its first question, the second to its end, and captures the screen.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import { ansiPicture } from "../../support/program/chat/ansi-picture.ts";
import { noPane, Pane } from "../../support/program/chat/tmux-pane.ts";
import { bowline } from "../../support/program/chat/chat-program.ts";

const columns = 90;
/** What is played, and what the screen shows when it is captured. */
const pictures = [
  { name: "chat", words: ["demo"], rows: 40, until: /esc says no/ },
  { name: "duet", words: ["demo", "--duet"], rows: 30, until: /258k tokens/ },
] as const;
const missing = noPane();

if (missing !== undefined) {
  process.stderr.write(`picture: ${missing}; install it and try again\n`);
  process.exitCode = 1;
} else {
  for (const { name, words, rows, until } of pictures) {
    const file = fileURLToPath(new URL(`../../../docs/${name}.svg`, import.meta.url));
    using pane = new Pane(bowline(...words), { columns, rows });
    await pane.until(until);
    // The last drawing is whole after this.
    await pause(200);
    // The pane itself prints the exit code of a program that has ended.
    const screen = pane.styled().replace(/\n*\[exit \d+\]\s*$/, "\n");
    writeFileSync(file, ansiPicture(screen, columns, "bowline chat"));
    process.stderr.write(`picture: ${file}\n`);
  }
}
