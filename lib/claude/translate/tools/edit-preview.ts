/**
 * The places of a file that an edit would change, as whole lines with three lines of
 * context around each place.
 *
 * Pure: the file's text is passed in. Places whose context overlaps become one. The size
 * is limited: a place with very long lines gets less context, and undefined means that
 * the lines are too long to be shown at all.
 */

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly replacesAll: boolean;
}

/** One place: the lines before and after the edit. */
export interface EditPlace {
  readonly oldText: string;
  readonly newText: string;
  /** The number of the first line that changes, as a line of the file before the edit. */
  readonly line: number;
}

export interface EditPreview {
  readonly places: readonly EditPlace[];
  /** How often the text occurs; more than `places` where places were joined or left out. */
  readonly count: number;
  /** Occurrences beyond the size limit, which `places` does not show. */
  readonly leftOut: number;
}

const contextLines = 3;
/** Old and new text of one place. A one-word edit is sent two or three times and must stay below 4 KB. */
const maxPlaceChars = 1200;
/** Old and new text of all places together. */
const maxChars = 16_384;
const maxPlaces = 50;

/** Undefined when the text is not in the file, or its lines are too long. */
export function previewEdit(file: string, edit: Replacement): EditPreview | undefined {
  // The CLI compares texts with \n as the only line end.
  const text = file.replaceAll("\r\n", "\n");
  const found = occurrences(text, edit);
  if (found.length === 0) return undefined;
  for (let context = contextLines; context >= 0; context--) {
    const places = placesOf(text, found, edit, context);
    if (places.some(({ oldText, newText }) => isTooLong(oldText, newText, edit))) continue;
    return limited(places, found.length);
  }
  return undefined;
}

/** The file after the edit. */
export function withEdit(file: string, { oldText, newText, replacesAll }: Replacement): string {
  const text = file.replaceAll("\r\n", "\n");
  return replacesAll ? text.replaceAll(oldText, () => newText) : text.replace(oldText, () => newText);
}

interface FoundPlace extends EditPlace {
  readonly occurrences: number;
}

function occurrences(text: string, { oldText, replacesAll }: Replacement): readonly number[] {
  if (oldText === "") return [];
  const found: number[] = [];
  for (let at = text.indexOf(oldText); at !== -1; at = text.indexOf(oldText, at + oldText.length)) {
    found.push(at);
    if (!replacesAll) break;
  }
  return found;
}

/** A place may be longer than the limit where the edit itself is. */
function isTooLong(oldText: string, newText: string, edit: Replacement): boolean {
  return oldText.length + newText.length > maxPlaceChars + edit.oldText.length + edit.newText.length;
}

function placesOf(text: string, found: readonly number[], edit: Replacement, context: number): readonly FoundPlace[] {
  const places: FoundPlace[] = [];
  let line = 1;
  let counted = 0;
  for (let i = 0; i < found.length;) {
    const from = linesBefore(text, found[i] ?? 0, context);
    let next = i;
    let to = from;
    do {
      to = linesAfter(text, (found[next] ?? 0) + edit.oldText.length, context);
      next++;
    } while (next < found.length && linesBefore(text, found[next] ?? 0, context) < to);
    const oldText = text.slice(from, to);
    let newText = "";
    let at = from;
    for (const start of found.slice(i, next)) {
      newText += text.slice(at, start) + edit.newText;
      at = start + edit.oldText.length;
    }
    newText += text.slice(at, to);
    line += lineEnds(text.slice(counted, from));
    counted = from;
    places.push({ oldText, newText, line: line + lineEnds(commonStart(oldText, newText)), occurrences: next - i });
    i = next;
  }
  return places;
}

function limited(all: readonly FoundPlace[], count: number): EditPreview {
  const places: EditPlace[] = [];
  let chars = 0;
  let shown = 0;
  for (const { occurrences: inside, ...place } of all) {
    chars += place.oldText.length + place.newText.length;
    if (places.length >= maxPlaces || (places.length > 0 && chars > maxChars)) break;
    places.push(place);
    shown += inside;
  }
  return { places, count, leftOut: count - shown };
}

/** The start of the line `lines` lines above the one that `at` is in. */
function linesBefore(text: string, at: number, lines: number): number {
  let start = at;
  for (let i = 0; i <= lines && start >= 0; i++) start = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
  return start + 1;
}

/** The end of the line `lines` lines below the one that ends the text before `at`, with its line end. */
function linesAfter(text: string, at: number, lines: number): number {
  // An edit that ends with a line end has changed only the line before it.
  let end = text[at - 1] === "\n" ? at - 1 : at;
  for (let i = 0; i <= lines; i++) {
    const next = text.indexOf("\n", end);
    if (next === -1) return text.length;
    end = next + 1;
  }
  return end;
}

function lineEnds(text: string): number {
  return text.split("\n").length - 1;
}

/** The common prefix of two texts. */
export function commonStart(left: string, right: string): string {
  let i = 0;
  while (i < left.length && left[i] === right[i]) i++;
  return left.slice(0, i);
}
