/**
 * Controls: the search, the buttons, and whether the page is light or dark.
 */
import { byId, make } from "./dom.js";

/** @typedef {import("./actions.js").Actions} Moves */
/** @typedef {import("./model.ts").Side} Side */
/** @typedef {import("./model.ts").TapeModel} Tape */
/** @typedef {import("./model.ts").ViewState} View */

/** How long nobody has to type for a search to begin. */
const pauseMs = 120;

/** @type {readonly (readonly [value: "" | Side, name: string])[]} */
const sides = [
  ["", "Both sides"],
  ["acp", "Editor"],
  ["claude", "Claude"],
];

export class Controls {
  #view;
  #onTheme;
  #search = /** @type {HTMLInputElement} */ (byId("search"));
  /** @type {Map<"" | Side, HTMLElement>} */
  #sides = new Map();

  /** @param {Tape} tape @param {View} view @param {Moves} moves @param {() => void} onTheme */
  constructor(tape, view, moves, onTheme) {
    this.#view = view;
    this.#onTheme = onTheme;
    for (const [side, name] of sides) {
      const button = Object.assign(make("button", "", name), { type: "button", value: side });
      button.addEventListener("click", () => moves.filter({ side }));
      this.#sides.set(side, button);
      byId("sides").append(button);
    }
    byId("sides").hidden = tape.sides.size < 2;
    byId("bad").addEventListener("click", () => moves.filter({ isBad: !view.isBad }));
    byId("flat").addEventListener("click", () => moves.filter({ isFlat: !view.isFlat }));
    byId("fold").addEventListener("click", () => moves.foldTurns());
    byId("theme").addEventListener("click", () => this.toggleTheme());
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let typing;
    this.#search.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(() => moves.filter({ search: this.#search.value.trim().toLowerCase() }), pauseMs);
    });
  }

  /** Shows what is filtered. */
  press() {
    const { side, isBad, isFlat } = this.#view;
    byId("bad").setAttribute("aria-pressed", String(isBad));
    byId("flat").setAttribute("aria-pressed", String(isFlat));
    for (const [value, button] of this.#sides) button.setAttribute("aria-pressed", String(value === side));
  }

  /** Shows that nothing is filtered. */
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
