/**
 * Defines `bowline inspect`: turns a tape into one HTML page.
 */
import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { codeOf } from "../../wire/index.ts";
import { command, CommandFailure } from "../command.ts";
import { inspect } from "../inspect/inspect.ts";
import { readTapeFile, readTapeText } from "../tapes/load-tape.ts";
import { printLine, writeFileText } from "../print.ts";

export const inspectCommand = command({
  name: "inspect",
  summary: "make one HTML page of a tape, to look at what passed and when",
  operands: "<tape>",
  operandCount: [1, 1],
  about: [
    "Writes a page that works by itself, from a file, without a network: every message of both directions on a time axis, sessions and turns folded, how long each answer took and how large it was, tool calls as bars, any message opened as JSON, search, and what the schemas of the protocol find wrong. A tape that was not checked when it was recorded is checked now.",
    "The page holds all of the tape: give it to nobody who may not read the tape.",
  ],
  options: {
    "--output": {
      short: "-o",
      value: "<page.html>",
      about: "where it is written; else next to the tape, or to stdout when the tape comes from stdin",
      completes: "file",
    },
  },
  examples: [
    { line: "bowline inspect tape.ndjson", about: "writes tape.html and prints its path" },
    { line: "bowline inspect - < tape.ndjson > page.html", about: "the tape from stdin, the page to stdout" },
  ],
  completes: "file",
  seeAlso: ["tap", "record", "replay", "docs/tapes.md"],
  run: async ({ options, operands: [path = ""] }, { stdin, stdout }) => {
    const isPiped = path === "-";
    const { rows } = isPiped ? readTapeText(await text(stdin), "stdin") : await readTapeFile(path);
    const page = inspect(rows, isPiped ? "a tape" : (/[^\\/]+$/.exec(path)?.[0] ?? path));
    const to = options["--output"] ?? (isPiped ? undefined : `${path.replace(/\.ndjson$/, "")}.html`);
    if (to === undefined) {
      writeFileText(stdout, page);
      return 0;
    }
    try {
      writeFileSync(to, page, { mode: 0o600 });
    } catch (cause) {
      throw new CommandFailure(`${to} cannot be written (${codeOf(cause)}); say where with -o`, { cause });
    }
    printLine(stdout, to);
    return 0;
  },
});
