/**
 * Search in the conversation that is shown: marks the elements with the text, and Enter
 * goes from one to the next.
 */
import { byId } from "../dom.js";

export class Finder {
  #log;
  #field = /** @type {HTMLInputElement} */ (byId("find-text"));
  /** @type {HTMLElement[]} */
  #found = [];
  #at = -1;

  /** @param {HTMLElement} log */
  constructor(log) {
    this.#log = log;
    this.#field.oninput = () => this.#search();
    this.#field.onkeydown = (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.#go(event.shiftKey ? -1 : 1);
    };
  }

  /** Puts the focus into the field; false when no conversation is shown. */
  open() {
    if (byId("find").hidden) return false;
    this.#field.focus();
    this.#field.select();
    return true;
  }

  /** Ends the search; false when there was none. */
  close() {
    if (this.#field.value === "" && document.activeElement !== this.#field) return false;
    this.#field.value = "";
    this.#search();
    byId("text").focus();
    return true;
  }

  #search() {
    const words = this.#field.value.trim().toLowerCase();
    for (const element of this.#found) element.classList.remove("found");
    this.#at = -1;
    this.#found =
      words === ""
        ? []
        : [...this.#log.children].filter(
            /** @returns {element is HTMLElement} */ (element) =>
              element instanceof HTMLElement && (element.textContent ?? "").toLowerCase().includes(words),
          );
    for (const element of this.#found) element.classList.add("found");
    this.#tell(words);
    if (this.#found.length > 0) this.#go(1);
  }

  /** @param {number} step */
  #go(step) {
    if (this.#found.length === 0) return;
    this.#at = (this.#at + step + this.#found.length) % this.#found.length;
    const element = this.#found[this.#at];
    element?.scrollIntoView({ block: "center" });
    // A folded part may hold the text.
    for (const fold of element?.querySelectorAll("details") ?? []) fold.open = true;
    if (element instanceof HTMLDetailsElement) element.open = true;
    this.#tell(this.#field.value.trim());
  }

  /** @param {string} words */
  #tell(words) {
    const found = this.#found.length === 0 ? "Not found" : `${this.#at + 1} of ${this.#found.length}`;
    byId("found").textContent = words === "" ? "" : found;
  }
}
