/**
 * The line editor: a draft and a key in, the next draft out.
 *
 * Pure functions. The cursor moves by grapheme clusters. A draft may have several lines,
 * a history that Up and Down recall, and one cut buffer.
 */

export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
  readonly shift?: boolean | undefined;
}

export interface Draft {
  readonly text: string;
  /** The cursor's index in `text`. */
  readonly at: number;
  /** How many history entries back is shown; 0 is the draft itself. */
  readonly back: number;
  /** The user's own text while a history entry is shown. */
  readonly ownText: string;
  readonly cut: string;
  readonly isPasting: boolean;
}

export const emptyDraft: Draft = { text: "", at: 0, back: 0, ownText: "", cut: "", isPasting: false };

export const maxDraftChars = 500_000;

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The draft after a key. Unknown keys change nothing. */
export function edited(draft: Draft, key: Key, history: readonly string[]): Draft {
  const { text, at, isPasting } = draft;
  const { name = "", ctrl = false, meta = false, sequence = "" } = key;
  if (name === "paste-start" || name === "paste-end") return { ...draft, isPasting: name === "paste-start" };
  if (isPasting) return inserted(draft, sequence.replaceAll(/\r\n?/g, "\n"));
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const lineEnd = text.indexOf("\n", at) === -1 ? text.length : text.indexOf("\n", at);
  switch (`${ctrl ? "C-" : ""}${meta ? "M-" : ""}${name}`) {
    case "enter":
    case "C-j":
    case "M-return":
    case "M-enter":
      return inserted(draft, "\n");
    case "left":
    case "C-b":
      return { ...draft, at: before(text, at) };
    case "right":
    case "C-f":
      return { ...draft, at: after(text, at) };
    case "C-left":
    case "M-left":
    case "M-b":
      return { ...draft, at: wordStart(text, at) };
    case "C-right":
    case "M-right":
    case "M-f":
      return { ...draft, at: at + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(at))?.[0].length ?? 0) };
    case "home":
    case "C-a":
      return { ...draft, at: lineStart };
    case "end":
    case "C-e":
      return { ...draft, at: lineEnd };
    case "backspace":
    case "C-h":
      return removed(draft, before(text, at), at);
    case "delete":
    case "C-d":
      return removed(draft, at, after(text, at));
    case "C-w":
    case "M-backspace":
      return { ...removed(draft, wordStart(text, at), at), cut: text.slice(wordStart(text, at), at) };
    case "C-u":
      return { ...removed(draft, lineStart, at), cut: text.slice(lineStart, at) };
    case "C-k":
      return { ...removed(draft, at, lineEnd), cut: text.slice(at, lineEnd) };
    case "C-y":
      return inserted(draft, draft.cut);
    case "up":
      return lineStart === 0 ? recalled(draft, draft.back + 1, history) : { ...draft, at: above(text, at, lineStart) };
    case "down":
      return lineEnd === text.length
        ? recalled(draft, draft.back - 1, history)
        : { ...draft, at: below(text, at, lineStart, lineEnd) };
    case "C-p":
      return recalled(draft, draft.back + 1, history);
    case "C-n":
      return recalled(draft, draft.back - 1, history);
  }
  // oxlint-disable-next-line no-control-regex
  const isTyped = !ctrl && !meta && sequence !== "" && !/[\0-\x1f\x7f]/.test(sequence);
  return isTyped ? inserted(draft, sequence) : draft;
}

/** The draft after an Enter that follows a backslash and begins a new line; undefined for any other Enter. */
export function continued(draft: Draft): Draft | undefined {
  const { text, at } = draft;
  return text[at - 1] === "\\" ? inserted(removed(draft, at - 1, at), "\n") : undefined;
}

export function draftOf(text: string, draft: Draft = emptyDraft): Draft {
  return { ...draft, text, at: text.length };
}

function inserted(draft: Draft, more: string): Draft {
  const { text, at } = draft;
  const fitting = more.slice(0, Math.max(0, maxDraftChars - text.length));
  return { ...draft, text: text.slice(0, at) + fitting + text.slice(at), at: at + fitting.length };
}

function removed(draft: Draft, from: number, to: number): Draft {
  return { ...draft, text: draft.text.slice(0, from) + draft.text.slice(to), at: from };
}

function recalled(draft: Draft, back: number, history: readonly string[]): Draft {
  if (back < 0 || back > history.length) return draft;
  const ownText = draft.back === 0 ? draft.text : draft.ownText;
  return { ...draftOf(back === 0 ? ownText : (history.at(-back) ?? ""), draft), back, ownText };
}

/** The start of the grapheme before `at`. Segments 64 characters only, because a draft may be long. */
function before(text: string, at: number): number {
  const from = Math.max(0, at - 64);
  const last = [...characters.segment(text.slice(from, at))].at(-1);
  return at - (last?.segment.length ?? 0);
}

function after(text: string, at: number): number {
  const [first] = characters.segment(text.slice(at, at + 64));
  return at + (first?.segment.length ?? 0);
}

function wordStart(text: string, at: number): number {
  return at - (/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(text.slice(0, at))?.[0].length ?? 0);
}

function above(text: string, at: number, lineStart: number): number {
  const start = text.lastIndexOf("\n", lineStart - 2) + 1;
  return Math.min(start + at - lineStart, lineStart - 1);
}

function below(text: string, at: number, lineStart: number, lineEnd: number): number {
  const next = text.indexOf("\n", lineEnd + 1);
  return Math.min(lineEnd + 1 + at - lineStart, next === -1 ? text.length : next);
}
