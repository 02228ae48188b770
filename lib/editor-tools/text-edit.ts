/**
 * Computes the new text of a file from the model's Edit or Write. Does no IO: text in, text out.
 *
 * The model sees lines that end in "\n" and no byte order mark (`shownText`). Its
 * changes are applied to the raw text, so that everything outside a change keeps its
 * line endings, byte for byte.
 */

/** A range of `shownText`, and the text that replaces it. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly isEverywhere: boolean;
}

export type Edited =
  | { readonly kind: "edited"; readonly text: string; readonly changes: readonly Change[] }
  | { readonly kind: "refused"; readonly why: string };

const byteOrderMark = "\uFEFF";

/** The text as the model sees it. */
export function shownText(raw: string): string {
  const text = raw.startsWith(byteOrderMark) ? raw.slice(1) : raw;
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

/** Replaces one or every occurrence of `oldText`, or returns why that is not possible. */
export function editText(raw: string, { oldText, newText, isEverywhere }: Edit): Edited {
  const shown = shownText(raw);
  const wanted = shownText(oldText);
  const given = shownText(newText);
  if (wanted === given) return refused("No changes to make: old_string and new_string are exactly the same.");
  const offsets = offsetsOf(shown, wanted);
  if (offsets.length === 0) return refused(`String to replace not found in file.\nString: ${oldText}`);
  if (offsets.length > 1 && !isEverywhere) {
    return refused(
      `Found ${offsets.length} matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: ${oldText}`,
    );
  }
  const changes = offsets.map((start): Change => {
    const end = start + wanted.length;
    // Deleting the whole content of a line deletes its newline too.
    const isWholeLine = given === "" && !wanted.endsWith("\n") && isLineStart(shown, start) && shown[end] === "\n";
    return { start, end: isWholeLine ? end + 1 : end, text: given };
  });
  return { kind: "edited", text: applyChanges(raw, changes), changes };
}

/** The new text of a file that is overwritten: its byte order mark and its line endings are kept. */
export function rewriteText(raw: string, content: string): string {
  const body = shownText(content);
  const text = endingOf(raw) === "\r\n" && !content.includes("\r\n") ? body.replaceAll("\n", "\r\n") : content;
  return raw.startsWith(byteOrderMark) && !text.startsWith(byteOrderMark) ? byteOrderMark + text : text;
}

/** The shortest single change that turns one text into the other. */
export function changeBetween(before: string, after: string): readonly Change[] {
  if (before === after) return [];
  const maxCommon = Math.min(before.length, after.length);
  let start = 0;
  while (start < maxCommon && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < maxCommon - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return [{ start, end: before.length - tail, text: after.slice(start, after.length - tail) }];
}

/** Lines with line numbers, in the format of the CLI's Read. */
export function numberedLines(lines: readonly string[], first: number): string {
  return lines.map((line, i) => `${first + i}\t${line}`).join("\n");
}

/** The lines of a text. A newline at the end of the text does not start another line. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function offsetsOf(text: string, wanted: string): readonly number[] {
  const exact = exactOffsets(text, wanted);
  // Models write straight quotes where the file has curly ones. Both are one character, so offsets stay the same.
  return exact.length > 0 ? exact : exactOffsets(withStraightQuotes(text), withStraightQuotes(wanted));
}

function exactOffsets(text: string, wanted: string): readonly number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && wanted !== ""; at = text.indexOf(wanted, at + wanted.length)) {
    offsets.push(at);
  }
  return offsets;
}

function withStraightQuotes(text: string): string {
  return text.replaceAll(/[\u2018\u2019]/g, "'").replaceAll(/[\u201C\u201D]/g, '"');
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === "\n";
}

function applyChanges(raw: string, changes: readonly Change[]): string {
  const lineEnding = endingOf(raw);
  const parts: string[] = [];
  let rawAt = 0;
  // The byte order mark is before the first character of the shown text.
  let shownAt = raw.startsWith(byteOrderMark) ? -1 : 0;
  for (const { start, end, text } of changes) {
    const from = rawAt;
    walkTo(start);
    parts.push(raw.slice(from, rawAt), lineEnding === "\n" ? text : text.replaceAll("\n", lineEnding));
    walkTo(end);
  }
  return parts.join("") + raw.slice(rawAt);

  /** Advances both offsets; "\r\n" counts two in the raw text and one in the shown text. */
  function walkTo(target: number): void {
    while (shownAt < target) {
      rawAt += raw[rawAt] === "\r" && raw[rawAt + 1] === "\n" ? 2 : 1;
      shownAt++;
    }
  }
}

/** The line ending that most lines have. */
function endingOf(raw: string): "\n" | "\r\n" {
  const all = raw.split("\n").length - 1;
  const windows = raw.split("\r\n").length - 1;
  return windows > all / 2 ? "\r\n" : "\n";
}

function refused(why: string): Edited {
  return { kind: "refused", why };
}
