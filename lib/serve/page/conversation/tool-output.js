/**
 * The text of a tool call's result: as a code block, as Markdown, or as a failure.
 */
import { h } from "../dom.js";
import { codeBlock, showMarkdown } from "../text/markdown.js";

/** Lines of output that a running command shows. */
const maxLiveLines = 12;

/** Output as a code block for reads, commands and searches; otherwise as Markdown. @param {string} kind @param {string} text @param {string} [lang] */
export function output(kind, text, lang = "") {
  if (kind === "read") return codeBlock(unwrapped(text), lang);
  if (kind === "execute" || kind === "search") return codeBlock(plain(text).replace(/^\n+|\n+$/g, ""), "");
  const words = h("div", { class: "words" });
  showMarkdown(words, text);
  return words;
}

/** The end of what a running command has printed. @param {string} text */
export function lastLines(text) {
  const lines = text.trimEnd().split("\n");
  return lines.length <= maxLiveLines ? text : ["…", ...lines.slice(-maxLiveLines)].join("\n");
}

/** The text without ANSI escape sequences. @param {string} text */
function plain(text) {
  const [first = "", ...rest] = text.split("\u001b");
  return [first, ...rest.map((part) => part.replace(/^\[[\d;?]*[ -/]*[@-~]/, ""))].join("");
}

/** @param {string} text */
export function failure(text) {
  return h("p", { class: "failure" }, text.replace(/^```\w*\n([\s\S]*?)\n```$/, "$1"));
}

/** The text between `<file>` and `</file>` without line numbers. @param {string} text */
function unwrapped(text) {
  const [, inner] = /^<file>\n([\s\S]*?)\n?(?:\n\(End of file[^\n]*\)\n)?<\/file>$/.exec(text) ?? [];
  return inner === undefined ? text : inner.replaceAll(/^\d+\| ?/gm, "");
}
