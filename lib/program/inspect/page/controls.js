/**
 * The search field, the filter buttons and the light or dark theme.
 */
import { byId, make } from "./dom.js";

/** @typedef {import("./actions.js").Actions} Actions */
/** @typedef {import("./model.ts").Side} Side */
/** @typedef {import("./model.ts").TapeModel} Tape */
/** @typedef {import("./model.ts").ViewState} View */

/** Debounce of the search field. */
const searchDebounceMs = 120;

/** @type {readonly (readonly [value: "" | Side, name: string])[]} */
const sides = [
  ["", "Both sides"],
  ["acp", "Editor"],
  ["claude", "Claude"],
  ["codex", "Codex"],
];

export class Controls {
  #view;
  #onTheme;
  #search = /** @type {HTMLInputElement} */ (byId("search"));
  /** @type {Map<"" | Side, HTMLElement>} */
  #sides = new Map();

  /** @param {Tape} tape @param {View} view @param {Actions} actions @param {() => void} onTheme */
  constructor(tape, view, actions, onTheme) {
    this.#view = view;
    this.#onTheme = onTheme;
    for (const [side, name] of sides.filter(([one]) => one === "" || tape.sides.has(one))) {
      const button = Object.assign(make("button", "", name), { type: "button", value: side });
      button.addEventListener("click", () => actions.filter({ side }));
      this.#sides.set(side, button);
      byId("sides").append(button);
    }
    byId("sides").hidden = tape.sides.size < 2;
    byId("bad").addEventListener("click", () => actions.filter({ isBad: !view.isBad }));
    byId("flat").addEventListener("click", () => actions.filter({ isFlat: !view.isFlat }));
    byId("fold").addEventListener("click", () => actions.foldTurns());
    byId("theme").addEventListener("click", () => this.toggleTheme());
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let typing;
    this.#search.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(() => actions.filter({ search: this.#search.value.trim().toLowerCase() }), searchDebounceMs);
    });
  }

  /** Updates the buttons to the active filters. */
  press() {
    const { side, isBad, isFlat } = this.#view;
    byId("bad").setAttribute("aria-pressed", String(isBad));
    byId("flat").setAttribute("aria-pressed", String(isFlat));
    for (const [value, button] of this.#sides) button.setAttribute("aria-pressed", String(value === side));
  }

  /** Empties the search field and updates the buttons. */
  clear() {
    this.#search.value = "";
    this.press();
  }

  toggleTheme() {
    const { dataset } = document.documentElement;
    const { theme } = dataset;
    const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    dataset["theme"] = isDark ? "light" : "dark";
    this.#onTheme();
  }
}
