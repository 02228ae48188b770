/**
 * Keyboard shortcuts of the page.
 *
 * Keys that the search field, the detail pane or a button needs are left to them.
 */
import { byId } from "./dom.js";

/** @typedef {import("./controls.js").Controls} Controls */
/** @typedef {import("./list/list.js").List} List */
/** @typedef {import("./actions.js").Actions} Actions */
/** @typedef {import("./recording/model.ts").ViewState} View */

/** @param {View} view @param {{ actions: Actions, list: List, controls: Controls }} parts */
export function listenToKeys(view, { actions, list, controls }) {
  /** @param {boolean} isToBeShut */
  const fold = (isToBeShut) => view.chosen && actions.fold(view.chosen, isToBeShut);
  /** @type {Readonly<Record<string, () => void>>} */
  const handlers = {
    ArrowDown: () => actions.step(1),
    j: () => actions.step(1),
    ArrowUp: () => actions.step(-1),
    k: () => actions.step(-1),
    PageDown: () => actions.step(20),
    PageUp: () => actions.step(-20),
    Home: () => actions.step(-Infinity),
    End: () => actions.step(Infinity),
    ArrowRight: () => fold(false),
    ArrowLeft: () => fold(true),
    Enter: () => {
      if (view.chosen === undefined || view.chosen.kind === "row") byId("detail").focus();
      else actions.fold(view.chosen);
    },
    m: () => actions.stepPair(),
    "[": () => actions.stepTurn(-1),
    "]": () => actions.stepTurn(1),
    p: () => actions.stepProblem(),
    f: () => actions.foldTurns(),
    l: () => actions.toggleLatency(),
    t: () => controls.toggleTheme(),
    "/": () => byId("search").focus(),
    Escape: () => {
      actions.clear();
      actions.filter({});
      list.focus();
    },
  };
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    const isTyping = target === byId("search");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping && !/^(Escape|Enter|ArrowDown)$/.test(key)) return;
    if (target instanceof HTMLButtonElement && /^(Enter| )$/.test(key)) return;
    if (target instanceof HTMLSelectElement && key !== "Escape") return;
    if (target === byId("detail") && /^(Arrow|Page|Home|End)/.test(key)) return;
    if (isTyping && key !== "Escape") return list.focus();
    const handler = Object.hasOwn(handlers, key) ? handlers[key] : undefined;
    if (handler === undefined) return;
    event.preventDefault();
    handler();
  });
}
