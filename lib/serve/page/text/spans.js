/**
 * Finds the inline spans in a paragraph of Markdown: code, bold, italic, links, URLs.
 *
 * Takes time proportional to the text: every search for a closing mark starts where
 * the previous one stopped, so a hundred thousand opening marks are scanned once.
 */

/** @typedef {{ kind: "text" | "code" | "strong" | "em" | "del" | "url", text: string } | { kind: "link", text: string, target: string }} Span */
/** A span and the index after it. @typedef {[span: Span, end: number] | undefined} Found */

/** @param {string} text @returns {Span[]} */
export function spansOf(text) {
  /** @type {Span[]} */
  const spans = [];
  const spanAt = spanFinder(text);
  const marks = /`+|~~|[*_[]|https?:\/\//g;
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

/** @param {string} text @returns {(mark: string, at: number) => Found} */
function spanFinder(text) {
  const nextTicks = tickFinder(text);
  const nextStars = seeker(text, /\S\*\*/g);
  const nextTildes = seeker(text, /\S~~/g);
  const nextStar = seeker(text, /\*/g);
  const nextUnder = seeker(text, /_/g);
  const nextBracket = seeker(text, /[\]\n]/g);
  const targetEnd = targetFinder(text);

  /** @param {number} at @returns {Found} */
  function strong(at) {
    if (text[at + 1] !== "*" || !isInk(text[at + 2])) return undefined;
    const last = nextStars(at + 2);
    return last === Infinity ? undefined : [{ kind: "strong", text: text.slice(at + 2, last + 1) }, last + 3];
  }

  /** @param {number} at @returns {Found} */
  function del(at) {
    if (!isInk(text[at + 2])) return undefined;
    const last = nextTildes(at + 2);
    return last === Infinity ? undefined : [{ kind: "del", text: text.slice(at + 2, last + 1) }, last + 3];
  }

  /** @param {number} at @param {number} end @param {RegExp} neighbour @returns {Found} */
  function em(at, end, neighbour) {
    if (end === Infinity || end === at + 1 || !isInk(text[at + 1]) || !isInk(text[end - 1])) return undefined;
    if (neighbour.test(text[at - 1] ?? "") || neighbour.test(text[end + 1] ?? "")) return undefined;
    return [{ kind: "em", text: text.slice(at + 1, end) }, end + 1];
  }

  /** @param {number} at @returns {Found} */
  function link(at) {
    const middle = nextBracket(at + 1);
    if (text[middle] !== "]" || middle === at + 1 || text[middle + 1] !== "(") return undefined;
    const end = targetEnd(middle + 2);
    if (end === undefined) return undefined;
    return [{ kind: "link", text: text.slice(at + 1, middle), target: text.slice(middle + 2, end) }, end + 1];
  }

  /** @param {number} at @returns {Found} */
  function address(at) {
    const url = /https?:\/\/[^\s<>"'`)\]]*[^\s<>"'`)\].,;:!?]/y;
    url.lastIndex = at;
    const [found] = url.exec(text) ?? [];
    return found === undefined ? undefined : [{ kind: "url", text: found }, at + found.length];
  }

  return (mark, at) => {
    if (mark === "*") return strong(at) ?? em(at, nextStar(at + 1), /[\w*]/);
    if (mark === "_") return em(at, nextUnder(at + 1), /\w/);
    if (mark === "~~") return del(at);
    if (mark === "[") return link(at);
    if (mark.startsWith("h")) return address(at);
    const end = nextTicks(mark.length, at);
    if (end === undefined) return undefined;
    return [{ kind: "code", text: text.slice(at + mark.length, end) }, end + mark.length];
  };
}

/** Returns a function that finds the next match at or after an index; the index must never decrease. @param {string} text @param {RegExp} pattern */
function seeker(text, pattern) {
  let found = -1;
  return (/** @type {number} */ from) => {
    if (found < from) {
      pattern.lastIndex = from;
      found = pattern.exec(text)?.index ?? Infinity;
    }
    return found;
  };
}

/** Returns a function that finds the next run of exactly `length` backticks after an index. @param {string} text */
function tickFinder(text) {
  /** @type {Map<number, number[]>} */
  const runs = new Map();
  // In reverse order, so that runs already passed are removed from the end of the array.
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
    const same = runs.get(run.length);
    if (same === undefined) runs.set(run.length, [index]);
    else same.push(index);
  }
  return (/** @type {number} */ length, /** @type {number} */ at) => {
    const same = runs.get(length) ?? [];
    while ((same.at(-1) ?? Infinity) <= at) same.pop();
    return same.at(-1);
  };
}

/** Returns a function that finds the end of a link target, which may contain one level of parentheses. @param {string} text */
function targetFinder(text) {
  let known = -1;
  /** @type {number | undefined} */
  let end;
  return (/** @type {number} */ start) => {
    // Several opening brackets may share one target.
    if (start === known) return end;
    known = start;
    end = undefined;
    let isWithin = false;
    for (let at = start; at < text.length; at++) {
      const character = text.charAt(at);
      if (/\s/.test(character) || (character === "(" && isWithin)) return end;
      if (character === "(") isWithin = true;
      if (character !== ")") continue;
      if (!isWithin) return (end = at);
      isWithin = false;
    }
    return end;
  };
}

/** @param {string | undefined} character */
function isInk(character) {
  return character !== undefined && /\S/.test(character);
}
