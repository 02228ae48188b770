/**
 * Builds the raw output of a search: the matches, their number, and whether the result
 * was truncated.
 *
 * Removes the summary lines that the CLI's Grep and Glob put around the matches.
 */

export type SearchOutput = {
  /** One match per line, or "No files found". */
  readonly output: string;
  readonly metadata: { readonly count: number; readonly truncated: boolean };
};

/** The CLI's summary on the first line of a result. */
const headline = /^Found \d+ files?\b/;
/** The CLI's summary on the last line of a result. */
const footer =
  /^(?:Found \d+ total occurrences?\b|\[Showing results with pagination|\(Showing \d+ of |\(Results are truncated)/;
/** A summary line that says the result was truncated. */
const truncation = /\blimit: \d|^\(/;

/** `isFileSearch`: an empty result becomes "No files found", the one text that readers recognise. */
export function searchOutput(text: string, isFileSearch: boolean): SearchOutput {
  const lines = text.trimEnd().split("\n");
  const first = headline.test(lines[0] ?? "") ? (lines.shift() ?? "") : "";
  const last = footer.test(lines.at(-1) ?? "") ? (lines.pop() ?? "") : "";
  const found = lines.join("\n").trimEnd();
  const isNone = found === "" || /^No (?:files|matches|entries|matching)\b.*$/.test(found);
  const count = isNone ? 0 : lines.filter(isMatch).length;
  const metadata = { count, truncated: truncation.test(first) || truncation.test(last) };
  return { output: isNone && isFileSearch ? "No files found" : found, metadata };
}

/** A match begins with `path:12:`, a context line with `path-12-`; `--` separates groups. */
function isMatch(line: string): boolean {
  return line !== "--" && line !== "" && /^.+?([:-])\d+\1/.exec(line)?.[1] !== "-";
}
