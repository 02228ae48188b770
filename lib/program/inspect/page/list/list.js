/**
 * The message list, virtualized: only the visible rows are in the DOM, and rows that
 * stay visible are not rendered again.
 */
import { byId } from "../dom.js";
import { countRows, isUnfiltered, itemsOf } from "./list-items.js";
import { drawnRow } from "./list-row.js";
import { heightOf, offsetAt, scrollTopAt } from "./virtual-scroll.js";
import { many } from "../format.js";

/** @typedef {import("../recording/participants.js").Lane} Lane */
/** @typedef {import("../recording/model.ts").Item} Item */
/** @typedef {import("../recording/model.ts").TapeModel} Tape */
/** @typedef {import("../recording/model.ts").ViewState} View */

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
    this.#space.style.height = `${heightOf(this.#scrollSpace(items.length))}px`;
    const all = this.#tape.rows.length.toLocaleString("en");
    byId("count").textContent = isUnfiltered(this.#view) ? "" : `${many(countRows(items), "row")} of ${all}`;
  }

  /** Renders the visible rows and removes the others. */
  paint() {
    const { items, chosen } = this.#view;
    const offset = offsetAt(this.#scrollSpace(items.length), this.#box.scrollTop);
    const first = Math.max(0, Math.floor(offset / rowHeight) - spareRows);
    const seen = items.slice(first, first + Math.ceil(this.#box.clientHeight / rowHeight) + 2 * spareRows);
    seen.forEach((item, i) => {
      const row = this.#drawn.get(item) ?? this.#draw(item);
      row.style.top = `${this.#box.scrollTop + (first + i + 1) * rowHeight - offset}px`;
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
    const { items } = this.#view;
    const space = this.#scrollSpace(items.length);
    const offset = offsetAt(space, this.#box.scrollTop);
    const top = items.indexOf(item) * rowHeight;
    const lowest = top - space.viewPx + 3 * rowHeight;
    if (top < offset) this.#box.scrollTop = scrollTopAt(space, top);
    else if (lowest > offset) this.#box.scrollTop = scrollTopAt(space, lowest);
  }

  /** @param {number} count */
  #scrollSpace(count) {
    // The head of the lanes is above the rows.
    return { count, rowPx: rowHeight, viewPx: this.#box.clientHeight - rowHeight };
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
