/**
 * The search field, the filter buttons and the light or dark theme.
 */
import { byId, make } from "./dom.js";
import { many, short } from "./format.js";
import { namedSessions } from "./list/list-items.js";
import { messageKinds } from "./recording/message-kinds.js";

/** @typedef {import("./actions.js").Actions} Actions */
/** @typedef {import("./recording/model.ts").TapeSide} Side */
/** @typedef {import("./recording/model.ts").TapeModel} Tape */
/** @typedef {import("./recording/model.ts").ViewState} View */

/** Sessions in the menu; the others are found by their ids with the search. */
const maxSessions = 500;

/** Debounce of the search field. */
const searchDebounceMs = 120;

/** @type {readonly (readonly [value: "" | Side, name: string])[]} */
const sides = [
  ["", "Both sides"],
  ["acp", "Editor"],
  ["claude", "Claude"],
  ["codex", "Codex"],
];

/** @typedef {View["session"]} SessionChoice */

export class Controls {
  #view;
  #onTheme;
  #search = /** @type {HTMLInputElement} */ (byId("search"));
  /** @type {Map<"" | Side, HTMLElement>} */
  #sides = new Map();
  #sessions;
  #kinds;

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
    this.#sessions = new Menu("sessions", sessionChoices(tape), (session) => actions.filter({ session }));
    this.#kinds = new Menu("kinds", kindChoices(tape), (kind) => actions.filter({ kind }));
    byId("bad").addEventListener("click", () => actions.filter({ isBad: !view.isBad }));
    byId("different").hidden = tape.meta["before"] === undefined;
    byId("different").addEventListener("click", () => actions.filter({ isDiff: !view.isDiff }));
    byId("flat").addEventListener("click", () => actions.filter({ isFlat: !view.isFlat }));
    byId("latency").addEventListener("click", () => actions.toggleLatency());
    byId("fold").addEventListener("click", () => actions.foldTurns());
    byId("theme").addEventListener("click", () => this.toggleTheme());
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let typing;
    this.#search.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(() => actions.search(this.#search.value.trim().toLowerCase()), searchDebounceMs);
    });
  }

  /** Updates the buttons to the active filters. */
  press() {
    const { side, session, kind, isBad, isDiff, isFlat, isLatency } = this.#view;
    byId("latency").setAttribute("aria-pressed", String(isLatency));
    this.#sessions.select(session);
    this.#kinds.select(kind);
    byId("bad").setAttribute("aria-pressed", String(isBad));
    byId("different").setAttribute("aria-pressed", String(isDiff));
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

/** A select element whose options have values of any type. @template T */
class Menu {
  #select;
  #values;

  /** @param {string} id @param {readonly (readonly [value: T, name: string])[]} choices The first one is "all". @param {(value: T) => void} onChoose */
  constructor(id, choices, onChoose) {
    this.#values = choices.map(([value]) => value);
    this.#select = /** @type {HTMLSelectElement} */ (byId(id));
    this.#select.append(...choices.map(([, name]) => make("option", "", name)));
    // With one choice besides "all" there is nothing to choose.
    this.#select.hidden = choices.length < 3;
    this.#select.addEventListener("change", () => {
      const value = this.#values[this.#select.selectedIndex];
      onChoose(/** @type {T} */ (value));
    });
  }

  /** @param {T} value */
  select(value) {
    this.#select.selectedIndex = this.#values.indexOf(value);
    this.#select.classList.toggle("active", this.#select.selectedIndex > 0);
  }
}

/** @param {Tape} tape @returns {readonly (readonly [value: SessionChoice, name: string])[]} */
function sessionChoices(tape) {
  const lone = tape.rows.reduce((count, { session }) => count + (session === undefined ? 1 : 0), 0);
  /** @type {(readonly [value: SessionChoice, name: string])[]} */
  const choices = [[undefined, "All sessions"]];
  if (lone > 0) choices.push(["connection", `Connection · ${many(lone, "row")}`]);
  for (const [session, name] of namedSessions(tape).slice(0, maxSessions))
    choices.push([session, `${name} · ${short(session.id, 8)} · ${many(session.rows.length, "row")}`]);
  return choices;
}

/** The kinds that the recording has. @param {Tape} tape @returns {readonly (readonly [value: View["kind"], name: string])[]} */
function kindChoices(tape) {
  /** @type {Map<View["kind"], number>} */
  const counts = new Map();
  for (const { kind } of tape.rows) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  /** @type {(readonly [value: View["kind"], name: string])[]} */
  const choices = [["", "All kinds"]];
  for (const [kind, name] of messageKinds) {
    const count = counts.get(kind);
    if (count !== undefined) choices.push([kind, `${name} · ${count.toLocaleString("en")}`]);
  }
  return choices;
}
