/**
 * Defines `bowline inspect`: turns a tape into one HTML page.
 */
import { closeSync, openSync, realpathSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { codeOf } from "../../wire/index.ts";
import { command, CommandFailure } from "../command.ts";
import { inspect } from "../inspect/inspect.ts";
import { readTapeText, tapeFileRows } from "../tapes/load-tape.ts";
import { openFile } from "../open-browser.ts";
import { printLine, writeFileText } from "../print.ts";

export const inspectCommand = command({
  name: "inspect",
  summary: "turn a tape into one HTML page that shows every message and its time",
  operands: "<tape> [<other tape>]",
  operandCount: [1, 2],
  about: [
    "Writes a single HTML file that needs no network: every message of both directions on a time axis, grouped by session and turn, with the latency and size of each response, tool calls as bars, a flame chart of each turn, histograms of the latencies, any message as JSON, a search, filters by session and kind of message, and violations of the protocol's schemas. A tape that was not validated while it was recorded is validated now.",
    "With two tapes the page shows the second, and what was added, removed and changed since the first. Times and the ids of a run are not compared, and a stream is compared as one text.",
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
    { line: "bowline inspect old.ndjson new.ndjson", about: "writes new.diff.html: what changed between the two" },
    { line: "bowline inspect - < tape.ndjson > page.html", about: "the tape from stdin, the page to stdout" },
  ],
  completes: "file",
  seeAlso: ["tap", "record", "replay", "docs/tapes.md"],
  run: async ({ options, operands }, { stdin, stdout }) => {
    const [path = "", before] = operands.toReversed();
    const isPiped = path === "-";
    if (before === "-") throw new CommandFailure("only the last tape can come from stdin; give the first as a file");
    const rows = isPiped ? readTapeText(await text(stdin), "stdin").rows : await tapeFileRows(path);
    const tape = { rows, name: isPiped ? "a tape" : fileName(path) };
    const page =
      before === undefined
        ? inspect(tape)
        : inspect(tape, { rows: await tapeFileRows(before), name: fileName(before) });
    const ending = before === undefined ? ".html" : ".diff.html";
    const to = options["--output"] ?? (isPiped ? undefined : `${path.replace(/\.ndjson$/, "")}${ending}`);
    if (to === undefined) {
      for (const piece of page) writeFileText(stdout, piece);
      return 0;
    }
    if ([path, before].some((one) => one !== undefined && realPath(one) === realPath(to)))
      throw new CommandFailure(`${to} is the tape itself; say with -o where to write the page`);
    writePage(to, page);
    printLine(stdout, to);
    if (options["--open"] && !(await openFile(resolve(to))))
      throw new CommandFailure(`no program was found that opens ${to}; open it in a browser yourself`);
    return 0;
  },
});

/** Creates the file with the first piece, so that a tape that cannot be read leaves none. */
function writePage(to: string, page: Iterable<string>): void {
  let file: number | undefined;
  try {
    for (const piece of page) {
      file ??= openSync(to, "w", 0o600);
      writeFileSync(file, piece);
    }
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause;
    throw new CommandFailure(`${to} cannot be written (${codeOf(cause)}); say where with -o`, { cause });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function fileName(path: string): string {
  return /[^\\/]+$/.exec(path)?.[0] ?? path;
}
