/**
 * Creates DOM elements from plain data.
 *
 * Strings always become text nodes. No file of this page parses markup.
 */

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, unknown>} [props] A `class`, an `onclick`, any property, or an attribute with a dash.
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (typeof value === "string" && /^class$|^role$|^sandbox$|-/.test(name)) element.setAttribute(name, value);
    else Reflect.set(element, name, value);
  }
  appendAll(element, children.flat().filter(isThere));
  return element;
}

/** One call per child: a call with tens of thousands of arguments would throw. @param {HTMLElement} element @param {(Node | string)[]} children */
export function appendAll(element, children) {
  for (const child of children) element.append(child);
}

/** @param {Child} child @returns {child is Node | string} */
function isThere(child) {
  return child !== null && child !== undefined && child !== false;
}

/** @param {string} id */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no ${id}`);
  return element;
}

/** The path relative to `cwd` when it is below `cwd`. @param {string} path @param {string} cwd */
export function shortPath(path, cwd) {
  return cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
