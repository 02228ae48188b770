/**
 * The message field, and the list of messages that are queued behind the running turn.
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

  /** Empties the field and returns its trimmed text; "" when there is nothing to send. */
  take() {
    const content = this.#text.value.trim();
    if (content !== "") this.#write("");
    return content;
  }

  /** Puts a message that could not be sent back into the field, unless the user has written something else. @param {string} content */
  giveBack(content) {
    if (this.#text.value === "") this.#write(content);
  }

  /** Shows a queued message; the returned function removes it. @param {string} content */
  addWaiting(content) {
    const element = h("div", { class: "said" }, content);
    this.#waiting.push(element);
    byId("waiting").append(element);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== element);
      element.remove();
    };
  }

  /** Removes the first queued message: its turn has started. */
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

  /** Makes the field as high as its text. */
  #fit() {
    this.#text.style.height = "auto";
    this.#text.style.height = `${this.#text.scrollHeight}px`;
  }
}
