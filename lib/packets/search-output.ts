/**
 * Search output: what was found, how much of it, and whether there was more.
 *
 * Knows how the CLI speaks of its findings, and keeps only the findings.
 */

export type SearchOutput = {
  /** What was found, a line each, or "No files found". */
  readonly output: string;
  readonly metadata: { readonly count: number; readonly truncated: boolean };
};

/** What the CLI says of what it found, on the first line or on the last. */
const headline = /^Found \d+ files?\b/;
const note =
  /^(?:Found \d+ total occurrences?\b|\[Showing results with pagination|\(Showing \d+ of |\(Results are truncated)/;
const isCut = /\blimit: \d|^\(/;

/** `isOfFiles`: nothing found is said in the one way that readers know. */
export function searchOutput(text: string, isOfFiles: boolean): SearchOutput {
  const lines = text.trimEnd().split("\n");
  const first = headline.test(lines[0] ?? "") ? (lines.shift() ?? "") : "";
  const last = note.test(lines.at(-1) ?? "") ? (lines.pop() ?? "") : "";
  const found = lines.join("\n").trimEnd();
  const isNone = found === "" || /^No (?:files|matches|entries|matching)\b.*$/.test(found);
  const count = isNone ? 0 : lines.filter(isMatch).length;
  const metadata = { count, truncated: isCut.test(first) || isCut.test(last) };
  return { output: isNone && isOfFiles ? "No files found" : found, metadata };
}

/** Lines around a match stand after `path-12-`, a match after `path:12:`; `--` parts them. */
function isMatch(line: string): boolean {
  return line !== "--" && line !== "" && /^.+?([:-])\d+\1/.exec(line)?.[1] !== "-";
}
