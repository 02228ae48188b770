/**
 * The user's actions on the page: select, fold, filter, and move to another row.
 */
import { isShown, sameItem } from "./list/list-items.js";
import { Pauses } from "./pauses.js";
import { findMatches } from "./recording/search.js";
import { fold, foldTurns, noFilter, uncover } from "./view-state.js";

/** @typedef {import("./list/list.js").List} List */
/** @typedef {import("./recording/model.ts").Filter} Filter */
/** @typedef {import("./recording/model.ts").Item} Item */
/** @typedef {import("./recording/model.ts").MessageRow} Row */
/** @typedef {import("./recording/model.ts").TapeModel} Tape */
/** @typedef {import("./recording/model.ts").ViewState} View */

/**
 * `onChosen`: an item was selected. `onMoved`: the selection or the list changed.
 * `onFiltered`: a filter changed. `onCleared`: all filters were removed.
 * @typedef {{ onChosen: () => void, onMoved: () => void, onFiltered: () => void, onCleared: () => void }} ActionCallbacks
 */

export class Actions {
  #tape;
  #view;
  #list;
  #callbacks;
  /** The number of searches that began. */
  #searches = 0;

  /** @param {Tape} tape @param {View} view @param {List} list @param {ActionCallbacks} callbacks */
  constructor(tape, view, list, callbacks) {
    this.#tape = tape;
    this.#view = view;
    this.#list = list;
    this.#callbacks = callbacks;
  }

  /** @param {Item} item */
  choose(item) {
    Object.assign(this.#view, { chosen: item, isLatency: false });
    this.#show(item);
  }

  /** Selects an item, and folds or unfolds it. @param {Item} item */
  click(item) {
    this.#view.chosen = item;
    this.#view.isLatency = false;
    this.fold(item);
    // Folding rebuilds the list, so the selected item may be another object.
    this.#show(this.#view.chosen);
  }

  /** Toggles without `isToBeShut`. @param {Item} item @param {boolean} [isToBeShut] */
  fold(item, isToBeShut) {
    if (fold(this.#view, item, isToBeShut)) this.#arrange(item);
  }

  foldTurns() {
    foldTurns(this.#view, this.#tape);
    this.#arrange(this.#view.chosen);
  }

  /** Selects a row, and removes filters and unfolds whatever hides it. @param {Row} row */
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

  /** Shows the rows that contain a text, when they are found; a later search or filter ends this one. @param {string} search In lower case. */
  async search(search) {
    const { rows } = this.#tape;
    const number = ++this.#searches;
    const matches =
      search === "" ? undefined : await findMatches(rows, search, new Pauses(), () => number !== this.#searches);
    if (number === this.#searches) this.filter({ search, matches });
  }

  /** Shows the latencies in the detail pane, or the chosen item again. */
  toggleLatency() {
    this.#view.isLatency = !this.#view.isLatency;
    this.#callbacks.onChosen();
  }

  /** Removes all filters, without rebuilding the list. */
  clear() {
    this.#searches++;
    Object.assign(this.#view, noFilter);
    this.#callbacks.onCleared();
  }

  /** Moves the selection by a number of items; selects the first when none is selected. @param {number} by */
  step(by) {
    const { items } = this.#view;
    const at = this.#index();
    const item = items[Math.min(items.length - 1, Math.max(0, at === -1 && by !== Infinity ? 0 : at + by))];
    if (item !== undefined) this.choose(item);
  }

  /** Selects the next turn, or the previous one. @param {1 | -1} by */
  stepTurn(by) {
    const { items } = this.#view;
    let at = this.#index() + by;
    while (items[at] !== undefined && items[at]?.kind !== "turn") at += by;
    const turn = items[at];
    if (turn !== undefined) this.choose(turn);
  }

  /** Selects the next row with a problem; after the last one the first. */
  stepProblem() {
    const bad = this.#tape.rows.filter(({ problems }) => problems);
    const at = this.#row?.i ?? -1;
    const next = bad.find(({ i }) => i > at) ?? bad[0];
    if (next !== undefined) this.reveal(next);
  }

  /** Moves from a request to its response, and back. */
  stepPair() {
    const pair = this.#row?.pair;
    if (pair !== undefined) this.reveal(pair);
  }

  /** The selected row. */
  get #row() {
    const { chosen } = this.#view;
    return chosen?.kind === "row" || chosen?.kind === "run" ? chosen.one : undefined;
  }

  #index() {
    const { items, chosen } = this.#view;
    return chosen === undefined ? -1 : items.indexOf(chosen);
  }

  /** Rebuilds the list and keeps the selection. @param {Item | undefined} item */
  #arrange(item) {
    this.#list.arrange();
    this.#view.chosen = item && sameItem(this.#view.items, item);
    this.#list.paint();
    if (this.#view.isLatency) this.#callbacks.onChosen();
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
