/**
 * Creates DOM elements.
 *
 * Text of a tape is only ever inserted as text, never as markup, and characters that
 * cannot be seen are marked.
 */
import { markInvisible } from "../../../serve/page/text/invisible-characters.js";

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {string} [name] The class name.
 * @param {...(Node | string)} inside
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, name = "", ...inside) {
  const element = document.createElement(tag);
  if (name !== "") element.className = name;
  element.append(...inside.map((one) => (typeof one === "string" ? markInvisible(one) : one)));
  return element;
}

/** @param {string} id */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no ${id}`);
  return element;
}

/** Text with the first match of the search marked. @param {string} text @param {string} search In lower case. @returns {(Node | string)[]} */
export function marked(text, search) {
  const at = search === "" ? -1 : text.toLowerCase().indexOf(search);
  if (at === -1) return [text];
  const end = at + search.length;
  return [text.slice(0, at), make("mark", "", text.slice(at, end)), text.slice(end)];
}
