/**
 * Defines `bowline inspect`: turns a tape into one HTML page.
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { codeOf } from "../../wire/index.ts";
import { command, CommandFailure } from "../command.ts";
import { inspect } from "../inspect/inspect.ts";
import { readTapeFile, readTapeText } from "../tapes/load-tape.ts";
import { openFile } from "../open-browser.ts";
import { printLine, writeFileText } from "../print.ts";

export const inspectCommand = command({
  name: "inspect",
  summary: "turn a tape into one HTML page that shows every message and its time",
  operands: "<tape>",
  operandCount: [1, 1],
  about: [
    "Writes a single HTML file that needs no network: every message of both directions on a time axis, grouped by session and turn, with the latency and size of each response, tool calls as bars, a flame chart of each turn, histograms of the latencies, any message as JSON, a search, filters by session and kind of message, and violations of the protocol's schemas. A tape that was not validated while it was recorded is validated now.",
    "The page contains the whole tape: share it only with people who may read the tape.",
  ],
  options: {
    "--output": {
      short: "-o",
      value: "<page.html>",
      about: "the file to write (default: next to the tape; stdout when the tape comes from stdin)",
      completes: "file",
    },
    "--open": { about: "open the page in your browser" },
  },
  examples: [
    { line: "bowline inspect tape.ndjson", about: "writes tape.html and prints its path" },
    { line: "bowline inspect --open tape.ndjson", about: "and opens it in your browser" },
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
    if (options["--open"] && !(await openFile(resolve(to))))
      throw new CommandFailure(`no program was found that opens ${to}; open it in a browser yourself`);
    return 0;
  },
});
