/**
 * Line diff of two texts, and its table with kept, removed and added lines.
 */
import { h } from "../dom.js";
import { markInvisible } from "./invisible-characters.js";

/** @typedef {{ mark: " " | "-" | "+", text: string, old: number, new: number }} Row */

/** Unchanged lines shown around a change. */
const around = 3;
/** Beyond this table size the comparison takes too long: all old lines count as removed, all new ones as added. */
const maxCells = 4_000_000;
/** Rows beyond this are shown only when the user presses a button. */
const maxRows = 1500;

/** @param {string} oldText @param {string} newText @returns {Row[]} */
export function diffRows(oldText, newText) {
  const before = linesOf(oldText);
  const after = linesOf(newText);
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++;
  /** @type {Row[]} */
  const rows = [];
  let o = 0;
  let n = 0;
  const keep = () => rows.push({ mark: " ", text: before[o] ?? "", old: ++o, new: ++n });
  const take = () => rows.push({ mark: "-", text: before[o] ?? "", old: ++o, new: n });
  const put = () => rows.push({ mark: "+", text: after[n] ?? "", old: o, new: ++n });
  while (o < head) keep();
  const common = longest(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  common.push([before.length - tail - head, after.length - tail - head]);
  for (const [i, j] of common) {
    while (o < head + i) take();
    while (n < head + j) put();
    if (o < before.length - tail) keep();
  }
  while (o < before.length) keep();
  return rows;
}

/** The longest common subsequence, as pairs of line indexes. @param {string[]} a @param {string[]} b @returns {[number, number][]} */
function longest(a, b) {
  const width = b.length + 1;
  if ((a.length + 1) * width > maxCells) return [];
  const table = new Uint32Array((a.length + 1) * width);
  const at = (/** @type {number} */ i, /** @type {number} */ j) => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  /** @type {[number, number][]} */
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

/** A final line break does not start another line. @param {string} text */
function linesOf(text) {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/**
 * `place` is the line of the first change in the new file; undefined when it is not known, and then
 * no line has a number. `shift` is how many lines the changes above have added.
 * @param {{ oldText: string, newText: string, place: number | undefined, shift?: number }} diff
 * @returns {{ element: HTMLElement, added: number, taken: number }}
 */
export function diffView({ oldText, newText, place, shift = 0 }) {
  const rows = diffRows(oldText, newText);
  const added = rows.filter(({ mark }) => mark === "+").length;
  const taken = rows.filter(({ mark }) => mark === "-").length;
  const before = Math.max(
    0,
    rows.findIndex(({ mark }) => mark !== " "),
  );
  const offset = place === undefined ? undefined : Math.max(0, place - 1 - before);
  const body = h("tbody");
  let hidden = 0;
  const isNear = nearChanges(rows);
  const gap = () => {
    if (hidden > 0)
      body.append(
        h("tr", { class: "gap" }, h("td", { colSpan: 4 }, `${hidden} unchanged line${hidden === 1 ? "" : "s"}`)),
      );
    hidden = 0;
  };
  /** Adds at most `most` rows, beginning at `from`, and a button for the rest. @param {number} from @param {number} most */
  const show = (from, most) => {
    let shown = 0;
    for (let i = from; i < rows.length; i++) {
      const row = rows[i];
      if (row === undefined || !isNear[i]) {
        hidden++;
        continue;
      }
      gap();
      if (shown++ === most) return body.append(more(i));
      body.append(rowOf(row, offset, shift));
    }
    gap();
  };
  /** @param {number} from */
  const more = (from) => {
    const button = h("button", { type: "button" }, `Show the other ${rows.length - from} lines`);
    const row = h("tr", { class: "gap" }, h("td", { colSpan: 4 }, button));
    button.onclick = () => {
      row.remove();
      show(from, Infinity);
    };
    return row;
  };
  show(0, maxRows);
  return {
    element: h("div", { class: "diff", tabIndex: 0, role: "group", "aria-label": "Changes" }, h("table", {}, body)),
    added,
    taken,
  };
}

/** @param {Row} row @param {number | undefined} offset @param {number} shift */
function rowOf({ mark, text, old, new: now }, offset, shift) {
  const lineAt = (/** @type {number} */ line, /** @type {number} */ less) =>
    offset === undefined ? "" : String(Math.max(line, line + offset - less));
  const kind = mark === "+" ? "added" : mark === "-" ? "taken" : "kept";
  return h(
    "tr",
    { class: kind },
    h("td", { class: "no old" }, mark === "+" ? "" : lineAt(old, shift)),
    h("td", { class: "no" }, mark === "-" ? "" : lineAt(now, 0)),
    h("td", { class: "mark" }, mark),
    h("td", { class: "line" }, markInvisible(text.replace(/\r$/, ""))),
  );
}

/** @param {Row[]} rows */
function nearChanges(rows) {
  const near = rows.map(() => false);
  rows.forEach(({ mark }, i) => {
    if (mark !== " ") near.fill(true, Math.max(0, i - around), i + around + 1);
  });
  return near;
}
