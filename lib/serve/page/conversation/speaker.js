/**
 * Labels each message, tool call and entry of the plan with the name and colour of its engine, in
 * a session where two engines answer.
 *
 * The agent also puts the name before texts, as `[Claude] `, for clients that cannot show
 * it otherwise. Where the page shows the name, that label is removed.
 */
import { h } from "../dom.js";

const names = /** @type {Record<string, string>} */ ({ claude: "Claude", codex: "Codex" });

/** The id of the engine; "" in a session with one engine. @param {Record<string, any>} packet @returns {string} */
export function engineOf({ _meta: meta }) {
  return meta?.engine ?? "";
}

/** @param {string} engine */
function nameOfEngine(engine) {
  return names[engine] ?? engine;
}

/** The name as a small mark; null without an engine. @param {string} engine */
export function speakerMark(engine) {
  return engine === "" ? null : h("span", { class: "speaker", "data-engine": engine }, nameOfEngine(engine));
}

/** The text without the labels of its engine; each began a message of the agent. @param {string} text @param {string} engine */
export function withoutLabels(text, engine) {
  return engine === ""
    ? text
    : text
        .split(`[${nameOfEngine(engine)}] `)
        .join("\n\n")
        .trimStart();
}

/** An entry of a plan, whose label names its engine. @param {string} text @returns {{ engine: string, text: string }} */
export function labelled(text) {
  const [, name, rest = text] = /^\[([^\]\n]+)\] ([^]*)$/.exec(text) ?? [];
  const [engine = ""] = Object.entries(names).find(([, one]) => one === name) ?? [];
  return engine === "" ? { engine, text } : { engine, text: rest };
}
