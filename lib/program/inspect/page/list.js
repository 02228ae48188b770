/**
 * The message list, virtualized: only the visible rows are in the DOM, and rows that
 * stay visible are not rendered again.
 */
import { byId } from "./dom.js";
import { countRows, isUnfiltered, itemsOf } from "./list-items.js";
import { drawnRow } from "./list-row.js";
import { many } from "./format.js";

/** @typedef {import("./participants.js").Lane} Lane */
/** @typedef {import("./model.ts").Item} Item */
/** @typedef {import("./model.ts").TapeModel} Tape */
/** @typedef {import("./model.ts").ViewState} View */

const rowHeight = 26;
/** Rows rendered above the visible ones, and as many below. */
const spareRows = 8;

export class List {
  #tape;
  #view;
  #lanes;
  #onChoose;
  #box = byId("list");
  #space = byId("space");
  /** @type {Map<Item, HTMLElement>} */
  #drawn = new Map();

  /** @param {Tape} tape @param {View} view @param {readonly Lane[]} lanes @param {(item: Item) => void} onChoose */
  constructor(tape, view, lanes, onChoose) {
    this.#tape = tape;
    this.#view = view;
    this.#lanes = lanes;
    this.#onChoose = onChoose;
    this.#box.addEventListener("scroll", () => this.paint());
  }

  focus() {
    this.#box.focus();
  }

  /** Recomputes the items. */
  arrange() {
    const { items } = Object.assign(this.#view, { items: itemsOf(this.#tape, this.#view) });
    for (const row of this.#drawn.values()) row.remove();
    this.#drawn.clear();
    this.#space.style.height = `${items.length * rowHeight}px`;
    const all = this.#tape.rows.length.toLocaleString("en");
    byId("count").textContent = isUnfiltered(this.#view) ? "" : `${many(countRows(items), "row")} of ${all}`;
  }

  /** Renders the visible rows and removes the others. */
  paint() {
    const { items, chosen } = this.#view;
    const first = Math.max(0, Math.floor(this.#box.scrollTop / rowHeight) - spareRows);
    const seen = items.slice(first, first + Math.ceil(this.#box.clientHeight / rowHeight) + 2 * spareRows);
    seen.forEach((item, i) => {
      const row = this.#drawn.get(item) ?? this.#draw(item);
      row.style.top = `${(first + i + 1) * rowHeight}px`;
      row.id = `row-${first + i}`;
      row.setAttribute("aria-selected", String(item === chosen));
      if (item === chosen) this.#box.setAttribute("aria-activedescendant", row.id);
    });
    const kept = new Set(seen);
    for (const [item, row] of this.#drawn) {
      if (kept.has(item)) continue;
      row.remove();
      this.#drawn.delete(item);
    }
  }

  /** Scrolls as little as possible to make an item visible. @param {Item} item */
  bringIntoSight(item) {
    const top = this.#view.items.indexOf(item) * rowHeight;
    const lowest = top - this.#box.clientHeight + 3 * rowHeight;
    if (top < this.#box.scrollTop) this.#box.scrollTop = top;
    if (lowest > this.#box.scrollTop) this.#box.scrollTop = lowest;
  }

  /** @param {Item} item */
  #draw(item) {
    const row = drawnRow(item, this.#view, this.#lanes);
    row.addEventListener("click", () => this.#onChoose(item));
    this.#drawn.set(item, row);
    this.#space.append(row);
    return row;
  }
}
