/**
 * Keys: the page without a mouse.
 *
 * Keys that are typed into the search, turn over the detail or press a button are
 * left to them.
 */
import { byId } from "./dom.js";

/** @typedef {import("./controls.js").Controls} Controls */
/** @typedef {import("./list.js").List} List */
/** @typedef {import("./actions.js").Actions} Moves */
/** @typedef {import("./model.ts").ViewState} View */

/** @param {View} view @param {{ moves: Moves, list: List, controls: Controls }} parts */
export function listenToKeys(view, { moves, list, controls }) {
  /** @param {boolean} isToBeShut */
  const fold = (isToBeShut) => view.chosen && moves.fold(view.chosen, isToBeShut);
  /** @type {Readonly<Record<string, () => void>>} */
  const acts = {
    ArrowDown: () => moves.step(1),
    j: () => moves.step(1),
    ArrowUp: () => moves.step(-1),
    k: () => moves.step(-1),
    PageDown: () => moves.step(20),
    PageUp: () => moves.step(-20),
    Home: () => moves.step(-Infinity),
    End: () => moves.step(Infinity),
    ArrowRight: () => fold(false),
    ArrowLeft: () => fold(true),
    Enter: () => {
      if (view.chosen === undefined || view.chosen.kind === "row") byId("detail").focus();
      else moves.fold(view.chosen);
    },
    m: () => moves.stepPair(),
    "[": () => moves.stepTurn(-1),
    "]": () => moves.stepTurn(1),
    p: () => moves.stepProblem(),
    f: () => moves.foldTurns(),
    t: () => controls.toggleTheme(),
    "/": () => byId("search").focus(),
    Escape: () => {
      moves.clear();
      moves.filter({});
      list.focus();
    },
  };
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    const isTyping = target === byId("search");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping && !/^(Escape|Enter|ArrowDown)$/.test(key)) return;
    if (target instanceof HTMLButtonElement && /^(Enter| )$/.test(key)) return;
    if (target === byId("detail") && /^(Arrow|Page|Home|End)/.test(key)) return;
    if (isTyping && key !== "Escape") return list.focus();
    const act = Object.hasOwn(acts, key) ? acts[key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}
