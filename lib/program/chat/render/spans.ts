/**
 * Finds the inline marks of a Markdown line: code, bold, italic, strikethrough and links.
 *
 * Runs in time proportional to the line: every search for a closing mark continues
 * where the last one stopped, so a line of 100,000 opening marks is scanned once.
 */

export type TextSpan =
  | { readonly kind: "text" | "code" | "bold" | "italic" | "strike"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly url: string };

/** A span and the index after it; undefined when the mark is a plain character. */
type FoundSpan = readonly [span: TextSpan, end: number] | undefined;

export function spansOf(text: string): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  const spanAt = spanFinder(text);
  const marks = /`+|[*_[]|~~/g;
  let from = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const found = spanAt(mark[0], mark.index);
    if (found === undefined) continue;
    if (mark.index > from) spans.push({ kind: "text", text: text.slice(from, mark.index) });
    spans.push(found[0]);
    from = marks.lastIndex = found[1];
  }
  if (from < text.length) spans.push({ kind: "text", text: text.slice(from) });
  return spans;
}

function spanFinder(text: string): (mark: string, at: number) => FoundSpan {
  const nextTicks = tickFinder(text);
  const next = {
    "**": seeker(text, /\*\*/g),
    __: seeker(text, /__/g),
    "~~": seeker(text, /~~/g),
    "*": seeker(text, /\*/g),
    _: seeker(text, /_/g),
    "]": seeker(text, /\]/g),
    ")": seeker(text, /[\s)]/g),
  };

  function double(mark: "**" | "__" | "~~", at: number): FoundSpan {
    if (!text.startsWith(mark, at) || !isNonSpace(text[at + 2])) return undefined;
    const end = next[mark](at + 3);
    return end === Infinity
      ? undefined
      : [{ kind: mark === "~~" ? "strike" : "bold", text: text.slice(at + 2, end) }, end + 2];
  }

  function single(mark: "*" | "_", at: number): FoundSpan {
    const end = next[mark](at + 1);
    const isSpan = end !== Infinity && end > at + 1 && isNonSpace(text[at + 1]);
    if (!isSpan || (mark === "_" && (isWord(text[at - 1]) || isWord(text[end + 1])))) return undefined;
    return [{ kind: "italic", text: text.slice(at + 1, end) }, end + 1];
  }

  function link(at: number): FoundSpan {
    const middle = next["]"](at + 1);
    if (middle === Infinity || middle === at + 1 || text[middle + 1] !== "(") return undefined;
    const end = next[")"](middle + 2);
    if (text[end] !== ")" || end === middle + 2) return undefined;
    return [{ kind: "link", text: text.slice(at + 1, middle), url: text.slice(middle + 2, end) }, end + 1];
  }

  return (mark, at) => {
    if (mark === "*") return double("**", at) ?? single("*", at);
    if (mark === "_") return double("__", at) ?? single("_", at);
    if (mark === "~~") return double("~~", at);
    if (mark === "[") return link(at);
    const end = nextTicks(mark.length, at);
    if (end === undefined) return undefined;
    return [{ kind: "code", text: text.slice(at + mark.length, end) }, end + mark.length];
  };
}

/** Finds the next match at or after `from`; `from` must not decrease between calls. */
function seeker(text: string, pattern: RegExp): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) {
      pattern.lastIndex = from;
      found = pattern.exec(text)?.index ?? Infinity;
    }
    return found;
  };
}

/** Finds the next run of exactly `length` backticks after `at`; `at` must not decrease. */
function tickFinder(text: string): (length: number, at: number) => number | undefined {
  const runs = new Map<number, number[]>();
  // Last run first, so that runs that were passed can be popped.
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
    const same = runs.get(run.length);
    if (same === undefined) runs.set(run.length, [index]);
    else same.push(index);
  }
  return (length, at) => {
    const same = runs.get(length) ?? [];
    while ((same.at(-1) ?? Infinity) <= at) same.pop();
    return same.at(-1);
  };
}

function isNonSpace(character: string | undefined): boolean {
  return character !== undefined && /\S/.test(character);
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}
