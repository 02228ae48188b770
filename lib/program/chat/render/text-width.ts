/**
 * Measures text in terminal columns, and cuts and wraps it.
 *
 * Where terminals disagree (joined emoji) it counts more columns rather than fewer, so
 * that a line never overflows. Knows the styles of ansi.ts and continues them after a
 * line break; text with other escape sequences is never passed in.
 */

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]|(?!\p{Regional_Indicator})\p{Emoji_Presentation}/u;
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
/** Turns the narrow character before it into an emoji. */
const emojiSelector = "\ufe0f";
// oxlint-disable-next-line no-control-regex
const style = /\x1b\[(\d+)m/g;
// oxlint-disable-next-line no-control-regex
const printableAscii = /^[\x20-\x7e]*$/;

export function widthOf(text: string): number {
  const bare = text.includes("\x1b") ? text.replaceAll(style, "") : text;
  if (printableAscii.test(bare)) return bare.length;
  let columns = 0;
  for (const character of bare) columns += widthOfOne(character);
  return columns;
}

/** Cuts text to at most `columns` columns, ending in `more` when cut. The text has no styles. */
export function cut(text: string, columns: number, more = "…"): string {
  if (widthOf(text) <= columns) return text;
  const [start = ""] = chop(text, Math.max(1, columns - widthOf(more)));
  return start + more;
}

/**
 * Breaks text into lines of at most `columns` columns, between words where possible;
 * all lines but the first begin with `hang`.
 */
export function wrap(text: string, columns: number, hang = ""): readonly string[] {
  const available = Math.max(1, columns - widthOf(hang));
  const lines: string[] = [];
  const active = new Map<string, string>();
  let line = "";
  let used = 0;
  let space = "";
  const breakLine = (): void => {
    lines.push(line + [...active.keys()].map((off) => `\x1b[${off}m`).join(""));
    line = hang + [...active.values()].join("");
    used = 0;
    space = "";
  };
  const widest = (): number => (lines.length === 0 ? columns : available);
  // oxlint-disable-next-line no-control-regex
  for (const [token] of text.matchAll(/ +|(?:\x1b\[\d+m|[^ \x1b])+/g)) {
    if (token.startsWith(" ")) {
      space = token;
      continue;
    }
    const width = widthOf(token);
    if (used > 0 && used + space.length + width > widest()) breakLine();
    const spaced = space + token;
    const fits = used + widthOf(spaced) <= widest();
    const pieces = fits ? [spaced] : chop(spaced, widest() - used, available);
    for (const [i, piece] of pieces.entries()) {
      if (i > 0) breakLine();
      line += piece;
      used += widthOf(piece);
      for (const [on, code = ""] of piece.matchAll(style)) trackStyle(active, on, Number(code));
    }
    space = "";
  }
  return [...lines, line];
}

/** Splits text by width, between any two characters; styles have no width. */
export function chop(text: string, first: number, others: number = first): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  // oxlint-disable-next-line no-control-regex
  for (const [part] of text.matchAll(/\x1b\[\d+m|[^]/gu)) {
    const width = part.length > 2 ? 0 : widthOfOne(part);
    if (used + width > (pieces.length === 0 ? first : others) && piece !== "") {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += part;
    used += width;
  }
  return [...pieces, piece];
}

/** Tracks the active styles, by the code that ends each. */
function trackStyle(active: Map<string, string>, on: string, code: number): void {
  const off =
    code === 1 || code === 2 ? 22 : code === 3 ? 23 : code === 9 ? 29 : code >= 30 && code <= 37 ? 39 : undefined;
  if (off === undefined) active.delete(String(code));
  else active.set(String(off), on);
}

function widthOfOne(character: string): number {
  if (character === emojiSelector) return 1;
  if (zeroWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
