/**
 * A JSON value as a tree of foldable nodes, whose children are created when first opened.
 */
import { markInvisible } from "../../../../serve/page/text/invisible-characters.js";
import { make } from "../dom.js";
import { isObject } from "../json.js";
import { short, size } from "../format.js";

/** Nodes above this depth are open at first. */
const openDepth = 3;
const maxChars = 2000;
const maxEntries = 1000;

/** How a text is rendered, and whether every node is open at first. @typedef {{ readonly mark: (text: string) => (Node | string)[], readonly isOpen: boolean }} TreeOptions */

/** @param {unknown} value @param {TreeOptions} options @returns {HTMLElement} */
export function jsonTree(value, options) {
  return branch("", value, 0, options);
}

/** @param {string} key @param {unknown} value @param {number} depth @param {TreeOptions} options @returns {HTMLElement} */
function branch(key, value, depth, options) {
  const label = key === "" ? [] : [make("span", "key", key), ": "];
  return isObject(value) ? node(label, value, depth, options) : leaf(label, value, options);
}

/** @param {(Node | string)[]} label @param {unknown} value @param {TreeOptions} options */
function leaf(label, value, { mark }) {
  const text = String(value);
  const isText = typeof value === "string";
  const quote = (/** @type {string} */ sign) => (isText ? make("span", "hint", sign) : "");
  const shown = make("span", isText ? "string" : "other", ...mark(text.slice(0, maxChars)));
  const line = make("div", "leaf", ...label, quote("“"), shown, quote("”"));
  if (text.length > maxChars) {
    const more = make("button", "", `all ${size(text.length)}`);
    more.addEventListener("click", () => {
      shown.replaceChildren(markInvisible(text));
      more.remove();
    });
    line.append(" ", more);
  }
  return line;
}

/** @param {(Node | string)[]} label @param {object} value @param {number} depth @param {TreeOptions} options */
function node(label, value, depth, options) {
  const entries = Object.entries(value);
  const count = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  const names = entries.slice(0, 4).map(([name]) => name);
  const summary = make("summary", "", ...label, make("span", "hint", `${count} ${short(names.join(", "), 60)}`));
  const element = make("details", "", summary);
  const fill = () => {
    if (element.childElementCount > 1) return;
    element.append(
      ...entries.slice(0, maxEntries).map(([name, inner]) => branch(name, inner, depth + 1, options)),
      entries.length > maxEntries ? `… ${entries.length - maxEntries} more` : "",
    );
  };
  element.addEventListener("toggle", fill);
  if (depth < openDepth || options.isOpen) {
    element.open = true;
    fill();
  }
  return element;
}
