/**
 * Text: a file's text as the model reads and edits it.
 *
 * The model sees lines that end in "\n" and no byte order mark; what it changes
 * is put back into the text as it is, so everything it did not touch keeps its
 * line endings to the byte.
 */

/** A stretch of the model's view of a text, and what takes its place. */
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

/** Replaces one place, or every place, and says why where it cannot. */
export function editText(raw: string, { oldText, newText, isEverywhere }: Edit): Edited {
  const shown = shownText(raw);
  const wanted = shownText(oldText);
  const given = shownText(newText);
  if (wanted === given) return refused("No changes to make: old_string and new_string are exactly the same.");
  const places = placesOf(shown, wanted);
  if (places.length === 0) return refused(`String to replace not found in file.\nString: ${oldText}`);
  if (places.length > 1 && !isEverywhere) {
    return refused(
      `Found ${places.length} matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: ${oldText}`,
    );
  }
  const changes = places.map((start): Change => {
    const end = start + wanted.length;
    // A line that is taken out leaves no empty one behind.
    const isLineGone = given === "" && !wanted.endsWith("\n") && isLineStart(shown, start) && shown[end] === "\n";
    return { start, end: isLineGone ? end + 1 : end, text: given };
  });
  return { kind: "edited", text: applyChanges(raw, changes), changes };
}

/** A whole new text for a file that has one: its mark and its line endings stay as they were. */
export function rewriteText(raw: string, content: string): string {
  const body = shownText(content);
  const text = endingOf(raw) === "\r\n" && !content.includes("\r\n") ? body.replaceAll("\n", "\r\n") : content;
  return raw.startsWith(byteOrderMark) && !text.startsWith(byteOrderMark) ? byteOrderMark + text : text;
}

/** The one change between two texts, as short as it can be. */
export function changeBetween(before: string, after: string): readonly Change[] {
  if (before === after) return [];
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let same = 0;
  while (same < most - start && before[before.length - 1 - same] === after[after.length - 1 - same]) same++;
  return [{ start, end: before.length - same, text: after.slice(start, after.length - same) }];
}

/** Lines with their numbers, as the model knows them from the CLI. */
export function numberedLines(lines: readonly string[], first: number): string {
  return lines.map((line, i) => `${first + i}\t${line}`).join("\n");
}

/** The lines of a text; the end of the last one begins no other. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function placesOf(text: string, wanted: string): readonly number[] {
  const exact = allPlaces(text, wanted);
  // Models write straight quotes where a file has curled ones; each is one character.
  return exact.length > 0 ? exact : allPlaces(straight(text), straight(wanted));
}

function allPlaces(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && wanted !== ""; at = text.indexOf(wanted, at + wanted.length)) {
    places.push(at);
  }
  return places;
}

function straight(text: string): string {
  return text.replaceAll(/[\u2018\u2019]/g, "'").replaceAll(/[\u201C\u201D]/g, '"');
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === "\n";
}

function applyChanges(raw: string, changes: readonly Change[]): string {
  const shutdown = endingOf(raw);
  const parts: string[] = [];
  let rawAt = 0;
  // The mark stands before the first character the model sees.
  let shownAt = raw.startsWith(byteOrderMark) ? -1 : 0;
  for (const { start, end, text } of changes) {
    const from = rawAt;
    walkTo(start);
    parts.push(raw.slice(from, rawAt), shutdown === "\n" ? text : text.replaceAll("\n", shutdown));
    walkTo(end);
  }
  return parts.join("") + raw.slice(rawAt);

  /** Both places move on together; "\r\n" is two steps of one and one of the other. */
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
