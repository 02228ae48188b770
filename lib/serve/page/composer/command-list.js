/**
 * The list of slash commands above the message field: arrow keys choose, Tab and Enter
 * complete, Escape closes.
 *
 * The field stays a text box with an active option: a field of several lines may not have
 * the role `combobox`.
 */
import { h } from "../dom.js";

/** @typedef {{ name: string, description: string, input?: { hint: string } | null }} Command */

/** Commands shown at once; the list scrolls. */
const maxShown = 50;

export class CommandList {
  /** @type {Command[]} */
  commands = [];
  #field;
  #list;
  /** @type {Command[]} */
  #shown = [];
  #at = 0;

  /** @param {HTMLTextAreaElement} field @param {HTMLElement} list */
  constructor(field, list) {
    this.#field = field;
    this.#list = list;
    // A click in the list, also on its scroll bar, leaves the focus in the field; without the focus the list closes.
    list.onmousedown = (event) => event.preventDefault();
  }

  /** Shows the commands that begin with what is typed. */
  update() {
    const [, begun] = /^\/(\S*)$/.exec(this.#field.value) ?? [];
    const match = begun?.toLowerCase() ?? "";
    const found = begun === undefined ? [] : this.commands.filter(({ name }) => name.toLowerCase().includes(match));
    found.sort(
      (a, b) => Number(b.name.toLowerCase().startsWith(match)) - Number(a.name.toLowerCase().startsWith(match)),
    );
    this.#shown = found.slice(0, maxShown);
    this.#at = 0;
    this.#draw();
  }

  close() {
    this.#shown = [];
    this.#draw();
  }

  /** Takes a key of the message field; false when it is not for the list. @param {string} key */
  take(key) {
    if (this.#shown.length === 0) return false;
    if (key === "ArrowDown" || key === "ArrowUp") {
      const step = key === "ArrowDown" ? 1 : -1;
      this.#at = (this.#at + step + this.#shown.length) % this.#shown.length;
      this.#draw();
      return true;
    }
    if (key === "Escape") {
      this.close();
      return true;
    }
    const chosen = this.#shown[this.#at];
    if (chosen === undefined || (key !== "Tab" && key !== "Enter")) return false;
    // A command that is typed whole is sent by Enter.
    if (key === "Enter" && this.#field.value === `/${chosen.name}`) {
      this.close();
      return false;
    }
    this.#complete(chosen);
    return true;
  }

  /** @param {Command} command */
  #complete({ name }) {
    this.#field.value = `/${name} `;
    this.close();
    this.#field.focus();
  }

  #draw() {
    const isOpen = this.#shown.length > 0;
    this.#list.hidden = !isOpen;
    if (isOpen) this.#field.setAttribute("aria-activedescendant", `command-${this.#at}`);
    else this.#field.removeAttribute("aria-activedescendant");
    this.#list.replaceChildren(
      ...this.#shown.map((command, i) => {
        const hint = command.input?.hint ? h("span", { class: "note" }, ` ${command.input.hint}`) : null;
        const row = h(
          "div",
          { id: `command-${i}`, role: "option", "aria-selected": String(i === this.#at) },
          h("strong", {}, `/${command.name}`),
          hint,
          h("span", { class: "note" }, command.description),
        );
        row.onmousedown = () => this.#complete(command);
        return row;
      }),
    );
    if (isOpen) this.#list.children[this.#at]?.scrollIntoView({ block: "nearest" });
  }
}
