/**
 * Bundles the page's JavaScript modules into one script, for a page that may load nothing.
 *
 * Each module becomes a function that runs once and returns its exports, so private names
 * do not clash; an import becomes a destructuring of an earlier module's exports. Supports
 * only the syntax these modules use: `import { a } from "./b.js";`, and `export` before a
 * function or a class, minified or not.
 */
import { readFileSync } from "node:fs";

/** Each module after those it imports. One literal `readFileSync` per line, because build.mjs replaces these expressions. */
const modules: ReadonlyMap<string, string> = new Map([
  ["invisible-characters", readFileSync(new URL("../../serve/page/invisible-characters.js", import.meta.url), "utf8")],
  ["json", readFileSync(new URL("./page/json.js", import.meta.url), "utf8")],
  ["format", readFileSync(new URL("./page/format.js", import.meta.url), "utf8")],
  ["describe", readFileSync(new URL("./page/describe.js", import.meta.url), "utf8")],
  ["tool-calls", readFileSync(new URL("./page/tool-calls.js", import.meta.url), "utf8")],
  ["turns", readFileSync(new URL("./page/turns.js", import.meta.url), "utf8")],
  ["tape", readFileSync(new URL("./page/tape.js", import.meta.url), "utf8")],
  ["time-scale", readFileSync(new URL("./page/time-scale.js", import.meta.url), "utf8")],
  ["list-items", readFileSync(new URL("./page/list-items.js", import.meta.url), "utf8")],
  ["view-state", readFileSync(new URL("./page/view-state.js", import.meta.url), "utf8")],
  ["participants", readFileSync(new URL("./page/participants.js", import.meta.url), "utf8")],
  ["dom", readFileSync(new URL("./page/dom.js", import.meta.url), "utf8")],
  ["header", readFileSync(new URL("./page/header.js", import.meta.url), "utf8")],
  ["timeline", readFileSync(new URL("./page/timeline.js", import.meta.url), "utf8")],
  ["list-row", readFileSync(new URL("./page/list-row.js", import.meta.url), "utf8")],
  ["list", readFileSync(new URL("./page/list.js", import.meta.url), "utf8")],
  ["json-tree", readFileSync(new URL("./page/json-tree.js", import.meta.url), "utf8")],
  ["detail", readFileSync(new URL("./page/detail.js", import.meta.url), "utf8")],
  ["actions", readFileSync(new URL("./page/actions.js", import.meta.url), "utf8")],
  ["controls", readFileSync(new URL("./page/controls.js", import.meta.url), "utf8")],
  ["shortcuts", readFileSync(new URL("./page/shortcuts.js", import.meta.url), "utf8")],
  ["inspect", readFileSync(new URL("./page/inspect.js", import.meta.url), "utf8")],
]);

/** Matches imports of the page's own modules and of those shared with the page of `bowline serve`. */
const imported = /\bimport\s*\{([^}]*)\}\s*from\s*"(?:\.\/|\.\.\/\.\.\/\.\.\/serve\/page\/)([\w-]+)\.js";/g;
const exported = /\bexport\s+(function|class)\s+(\w+)/g;

export function pageScript(): string {
  return joined(modules);
}

/** `sources`: module texts by name, each after those it imports. */
export function joined(sources: ReadonlyMap<string, string>): string {
  const parts = [...sources].map(([name, source]) => {
    const exports = [...source.matchAll(exported)].map(([, , own]) => own);
    const body = source
      .replaceAll(imported, (_, names: string, from) => `const{${names.replaceAll(" as ", ":")}}=modules["${from}"];`)
      .replaceAll(exported, "$1 $2");
    return `modules["${name}"]=(()=>{${body}\nreturn{${exports.join()}}})();`;
  });
  return ['"use strict";const modules={};', ...parts].join("\n");
}
