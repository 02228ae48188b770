/**
 * Moves: what a person can do with a recording: choose, fold, filter, go elsewhere.
 */
import { isShown, sameItem } from "./list-items.js";
import { fold, foldTurns, uncover } from "./view-state.js";

/** @typedef {import("./list.js").List} List */
/** @typedef {import("./model.ts").Filter} Filter */
/** @typedef {import("./model.ts").Item} Item */
/** @typedef {import("./model.ts").MessageRow} Row */
/** @typedef {import("./model.ts").TapeModel} Tape */
/** @typedef {import("./model.ts").ViewState} View */

/**
 * Called when an item was chosen, when another one is (or none any more), when what
 * is filtered changed, and when nothing is filtered any more.
 * @typedef {{ onChosen: () => void, onMoved: () => void, onFiltered: () => void, onCleared: () => void }} Ends
 */

export class Actions {
  #tape;
  #view;
  #list;
  #callbacks;

  /** @param {Tape} tape @param {View} view @param {List} list @param {Ends} callbacks */
  constructor(tape, view, list, callbacks) {
    this.#tape = tape;
    this.#view = view;
    this.#list = list;
    this.#callbacks = callbacks;
  }

  /** @param {Item} item */
  choose(item) {
    this.#view.chosen = item;
    this.#show(item);
  }

  /** Chooses an item, and folds or unfolds it. @param {Item} item */
  click(item) {
    this.#view.chosen = item;
    this.fold(item);
    // The list may have been made anew.
    this.#show(this.#view.chosen);
  }

  /** By default the other way than it is. @param {Item} item @param {boolean} [isToBeShut] */
  fold(item, isToBeShut) {
    if (fold(this.#view, item, isToBeShut)) this.#arrange(item);
  }

  foldTurns() {
    foldTurns(this.#view, this.#tape);
    this.#arrange(this.#view.chosen);
  }

  /** Shows a row wherever it is folded away. @param {Row} row */
  reveal(row) {
    if (!isShown(row, this.#view)) this.clear();
    uncover(this.#view, this.#tape, row);
    /** @type {Item} */
    const wanted = { kind: "row", one: row, isInner: false };
    this.#arrange(wanted);
    const { items, chosen } = this.#view;
    const found = chosen ?? items.find((item) => item.kind === "run" && item.rows.includes(row));
    if (found?.kind === "run") {
      this.#view.openRuns.add(found.one);
      this.#arrange(wanted);
    }
    const revealed = this.#view.chosen ?? found;
    if (revealed !== undefined) this.choose(revealed);
  }

  /** @param {Partial<Filter>} values */
  filter(values) {
    Object.assign(this.#view, values);
    this.#callbacks.onFiltered();
    this.#arrange(this.#view.chosen);
  }

  /** No filters any more, with the list as it was. */
  clear() {
    Object.assign(this.#view, { search: "", side: "", isBad: false });
    this.#callbacks.onCleared();
  }

  /** So many items on; the first when none is chosen. @param {number} by */
  step(by) {
    const { items } = this.#view;
    const at = this.#index();
    const item = items[Math.min(items.length - 1, Math.max(0, at === -1 && by !== Infinity ? 0 : at + by))];
    if (item !== undefined) this.choose(item);
  }

  /** To the next turn, or the one before. @param {1 | -1} by */
  stepTurn(by) {
    const { items } = this.#view;
    let at = this.#index() + by;
    while (items[at] !== undefined && items[at]?.kind !== "turn") at += by;
    const turn = items[at];
    if (turn !== undefined) this.choose(turn);
  }

  /** To the next row with a problem, from the last to the first. */
  stepProblem() {
    const bad = this.#tape.rows.filter(({ problems }) => problems);
    const at = this.#row?.i ?? -1;
    const next = bad.find(({ i }) => i > at) ?? bad[0];
    if (next !== undefined) this.reveal(next);
  }

  /** From a question to its answer, and back. */
  stepPair() {
    const pair = this.#row?.pair;
    if (pair !== undefined) this.reveal(pair);
  }

  /** The row that is chosen. */
  get #row() {
    const { chosen } = this.#view;
    return chosen?.kind === "row" || chosen?.kind === "run" ? chosen.one : undefined;
  }

  #index() {
    const { items, chosen } = this.#view;
    return chosen === undefined ? -1 : items.indexOf(chosen);
  }

  /** The list made anew, with the same thing chosen. @param {Item | undefined} item */
  #arrange(item) {
    this.#list.arrange();
    this.#view.chosen = item && sameItem(this.#view.items, item);
    this.#list.paint();
    this.#callbacks.onMoved();
  }

  /** @param {Item} item */
  #show(item) {
    this.#callbacks.onChosen();
    this.#list.bringIntoSight(item);
    if (item.kind === "row" || item.kind === "run") history.replaceState(undefined, "", `#${item.one.i}`);
    this.#list.paint();
    this.#callbacks.onMoved();
  }
}
