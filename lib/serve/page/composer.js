/**
 * Composer: where messages are written, and those that wait for their turn.
 */
import { byId, h } from "./dom.js";

export class Composer {
  #text = /** @type {HTMLTextAreaElement} */ (byId("text"));
  /** @type {HTMLElement[]} */
  #waiting = [];

  /** @param {() => void} onSend */
  constructor(onSend) {
    byId("send").onclick = onSend;
    this.#text.oninput = () => this.#fit();
    this.#text.onkeydown = (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      onSend();
    };
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.#text.focus(options);
  }

  /** What is written, taken away; empty when there is nothing to send. */
  take() {
    const content = this.#text.value.trim();
    if (content !== "") this.#write("");
    return content;
  }

  /** What could not be sent, unless something else is written meanwhile. @param {string} content */
  giveBack(content) {
    if (this.#text.value === "") this.#write(content);
  }

  /** Shows a message that waits; what it gives takes that back. @param {string} content */
  addWaiting(content) {
    const element = h("div", { class: "said" }, content);
    this.#waiting.push(element);
    byId("waiting").append(element);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== element);
      element.remove();
    };
  }

  /** The first one's turn has come. */
  shiftWaiting() {
    this.#waiting.shift()?.remove();
  }

  clearWaiting() {
    for (const element of this.#waiting.splice(0)) element.remove();
  }

  /** @param {string} content */
  #write(content) {
    this.#text.value = content;
    this.#fit();
  }

  /** As high as its text. */
  #fit() {
    this.#text.style.height = "auto";
    this.#text.style.height = `${this.#text.scrollHeight}px`;
  }
}
