/**
 * Renders the subset of Markdown that models write as DOM elements.
 *
 * Blocks whose text has not changed keep their elements, so each chunk of a long
 * streaming answer redraws only the last block. Only http, https and mailto targets
 * become links.
 */
import { appendAll, h } from "../dom.js";
import { spansOf } from "./spans.js";
import { syntaxParts } from "../../../display/syntax.ts";

/** @typedef {{ kind: string, text: string, lang?: string }} Block */

/** Nesting of quotes and lists; deeper levels are shown as plain text. */
const maxNesting = 32;
/** Nesting of inline marks; deeper levels are shown as plain text. */
const maxSpanNesting = 8;

/** Renders the text into the element; called again whenever the text has grown. @param {HTMLElement} parent @param {string} text */
export function showMarkdown(parent, text, depth = 0) {
  /** @type {Node[]} */
  const shown = [...parent.childNodes];
  const blocks = blocksOf(text);
  /** The number signs of the headings that the last one stands below, and its own. @type {number[]} */
  const outline = [];
  blocks.forEach((block, i) => {
    const level = block.kind === "heading" ? headingLevel(block.text, outline) : 0;
    const key = `${block.kind}${level}:${block.lang ?? ""}:${block.text}`;
    const old = shown[i];
    if (old instanceof HTMLElement && keys.get(old) === key) return;
    const element = elementOf(block, depth, level);
    keys.set(element, key);
    if (old === undefined) parent.append(element);
    else parent.replaceChild(element, old);
  });
  while (parent.childNodes.length > blocks.length) parent.lastChild?.remove();
}

/** The source text of each rendered element. @type {WeakMap<HTMLElement, string>} */
const keys = new WeakMap();

const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*).*$/;
const bullet = /^(\s*)([-*+]|\d{1,9}[.)])\s+/;

/** @param {string} text @returns {Block[]} */
export function blocksOf(text) {
  const lines = text.split("\n");
  /** @type {Block[]} */
  const blocks = [];
  /** @type {Block | undefined} */
  let open;
  /** The first line of the open block. A look at its text would copy all of it, for each line again. */
  let first = "";
  /** @param {string} kind @param {string} line */
  const add = (kind, line) => {
    if (open?.kind === kind) open.text += `\n${line}`;
    else blocks.push((open = { kind, text: (first = line) }));
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const [, ticks, lang] = fence.exec(line) ?? [];
    if (ticks !== undefined) {
      const code = [];
      while (++i < lines.length && !isFenceEnd(lines[i] ?? "", ticks)) code.push(lines[i]);
      blocks.push({ kind: "code", text: code.join("\n"), lang: lang ?? "" });
      open = undefined;
    } else if (line.trim() === "") {
      // A list continues after an empty line when the next line is an item or indented.
      const next = lines[i + 1] ?? "";
      if (open?.kind === "list" && (bullet.test(next) || /^\s{2,}\S/.test(next))) open.text += "\n";
      else open = undefined;
    } else if (/^#{1,6}\s/.test(line)) {
      blocks.push({ kind: "heading", text: line });
      open = undefined;
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
      blocks.push({ kind: "rule", text: "" });
      open = undefined;
    } else if (/^\s*>/.test(line)) add("quote", line.replace(/^\s*> ?/, ""));
    else if (/^\s*\|.*\|\s*$/.test(line)) add("table", line);
    else if (bullet.test(line)) {
      if (open?.kind === "list" && isOtherList(first, line)) open = undefined;
      add("list", line);
    } else if (open?.kind === "list" && /^\s+\S/.test(line)) open.text += `\n${line}`;
    else add("paragraph", line);
  }
  return blocks;
}

/** Whether an item begins another list: numbers after bullets or the reverse, not indented below an item. @param {string} first @param {string} line */
function isOtherList(first, line) {
  const [, margin = "", mark = ""] = bullet.exec(first) ?? [];
  const [, indent = "", own = ""] = bullet.exec(line) ?? [];
  return indent.length <= margin.length + 1 && /\d/.test(mark) !== /\d/.test(own);
}

/** @param {string} line @param {string} ticks */
function isFenceEnd(line, ticks) {
  const trimmed = line.trim();
  return trimmed.length >= ticks.length && trimmed === (ticks[0] ?? "").repeat(trimmed.length);
}

/**
 * The level of a heading in the page, where the title of the session is the first: 2 for the first heading of a
 * text, and never two deeper than the one before, as screen readers expect.
 * @param {string} text @param {number[]} outline
 */
function headingLevel(text, outline) {
  const signs = text.search(/[^#]/);
  while ((outline.at(-1) ?? 0) >= signs) outline.pop();
  outline.push(signs);
  return Math.min(6, 1 + outline.length);
}

/** @param {Block} block @param {number} depth @param {number} level of a heading @returns {HTMLElement} */
function elementOf({ kind, text, lang }, depth, level) {
  if (depth >= maxNesting && (kind === "quote" || kind === "list")) return h("p", {}, text);
  switch (kind) {
    case "code":
      return codeBlock(text, lang ?? "");
    case "heading":
      return h(/** @type {"h2"} */ (`h${level}`), {}, inline(headingText(text)));
    case "rule":
      return h("hr");
    case "quote": {
      const quote = h("blockquote");
      showMarkdown(quote, text, depth + 1);
      return quote;
    }
    case "table":
      return tableOf(text);
    case "list":
      return listOf(text.split("\n"), depth);
    default:
      return h("p", {}, inline(text));
  }
}

/** @param {string} text @param {string} lang */
export function codeBlock(text, lang) {
  return h(
    "div",
    { class: "code", "data-lang": lang },
    copyButton("Copy the code", () => text),
    h(
      "pre",
      { tabIndex: 0, role: "group", "aria-label": lang === "" ? "Code" : `Code, ${lang}` },
      h("code", {}, coloured(text, lang)),
    ),
  );
}

/** The code with a span for each coloured part. @param {string} text @param {string} lang @returns {(Node | string)[]} */
function coloured(text, lang) {
  return syntaxParts(text, lang).map(({ kind, text: part }) =>
    kind === "plain" ? part : h("span", { class: `syntax-${kind}` }, part),
  );
}

/** A button that copies the text. @param {string} label @param {() => string} text */
export function copyButton(label, text) {
  const copy = h("button", { class: "copy", type: "button", title: label, "aria-label": label }, "Copy");
  copy.onclick = () =>
    void navigator.clipboard?.writeText(text()).then(() => {
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy"), 1500);
    });
  return copy;
}

/** @param {string[]} lines @param {number} depth @returns {HTMLElement} */
function listOf(lines, depth) {
  const [, margin = "", mark = ""] = bullet.exec(lines[0] ?? "") ?? [];
  const list = /\d/.test(mark) ? h("ol", { start: parseInt(mark, 10) }) : h("ul");
  /** @type {string[][]} */
  const items = [];
  for (const line of lines) {
    const [whole, indent = ""] = bullet.exec(line) ?? [];
    if (whole !== undefined && indent.length <= margin.length + 1) items.push([line.slice(whole.length)]);
    else items.at(-1)?.push(line.replace(/^(?: {1,4}|\t)/, ""));
  }
  for (const [first = "", ...rest] of items) {
    const [, box, label = first] = /^\[([ xX])\]\s+(.*)$/s.exec(first) ?? [];
    const item = h("li", { class: box === undefined ? undefined : "task" });
    const nested = rest.findIndex((line) => bullet.test(line) || fence.test(line));
    const own = nested === -1 ? rest : rest.slice(0, nested);
    if (box !== undefined) item.append(box === " " ? "☐ " : "☑ ");
    appendAll(item, inline([label, ...own].join("\n").trimEnd()));
    if (nested !== -1) {
      const inner = h("div");
      showMarkdown(inner, rest.slice(nested).join("\n"), depth + 1);
      appendAll(item, [...inner.childNodes]);
    }
    list.append(item);
  }
  return list;
}

/** The text of a heading without the number signs around it. @param {string} text */
function headingText(text) {
  const words = text.replace(/^#+\s+/, "");
  let end = words.length;
  while (words[end - 1] === "#") end--;
  return end < words.length && /^\s?$/.test(words[end - 1] ?? "") ? words.slice(0, end).trimEnd() : words;
}

/** @param {string} text */
function tableOf(text) {
  const rows = text.split("\n").map((line) =>
    line
      .trim()
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
  const hasHead = rows[1]?.every((cell) => /^:?-+:?$/.test(cell)) === true;
  const sides = hasHead ? (rows[1] ?? []).map(sideOf) : [];
  const row = (/** @type {string[]} */ cells, /** @type {"th" | "td"} */ tag) =>
    h("tr", {}, ...cells.map((cell, i) => h(tag, { class: sides[i] ?? "" }, inline(cell))));
  const body = (hasHead ? rows.slice(2) : rows).map((cells) => row(cells, "td"));
  const head = hasHead && rows[0] !== undefined ? h("thead", {}, row(rows[0], "th")) : null;
  return h(
    "div",
    { class: "table", tabIndex: 0, role: "group", "aria-label": "Table" },
    h("table", {}, head, h("tbody", {}, body)),
  );
}

/** The alignment of a column: `---:` is right, `:---:` is centre. @param {string} cell */
function sideOf(cell) {
  return cell.endsWith(":") ? (cell.startsWith(":") ? "centre" : "right") : "";
}

/** @param {string} text @returns {Node[]} */
export function inline(text, depth = 0) {
  if (depth > maxSpanNesting) return [document.createTextNode(text)];
  return spansOf(text).map((span) => {
    switch (span.kind) {
      case "text":
        return document.createTextNode(span.text);
      case "code":
        return h("code", {}, span.text.replace(/^ (.*) $/s, "$1"));
      case "strong":
      case "em":
      case "del":
        return h(span.kind, {}, inline(span.text, depth + 1));
      case "url":
        return link(span.text, [document.createTextNode(span.text)]);
      case "link":
        return link(span.target, inline(span.text, depth + 1));
    }
  });
}

/** Other targets stay text: a `javascript:` link would run a script. @param {string} target @param {Node[]} words */
function link(target, words) {
  const isWeb = /^(https?:\/\/|mailto:)/i.test(target);
  if (!isWeb) return h("span", { title: target }, words);
  return h("a", { href: target, rel: "noopener noreferrer", target: "_blank" }, words);
}
