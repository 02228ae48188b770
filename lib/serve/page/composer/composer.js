/**
 * The message field: slash commands, attachments, the history of messages, and the list
 * of messages that are queued behind the running turn.
 */
import { Attachments } from "./attachments.js";
import { CommandList } from "./command-list.js";
import { byId, h } from "../dom.js";

/** A message as it is sent: text, or blocks when something is attached. @typedef {string | object[]} Content */

/** Messages kept for the arrow keys. */
const maxHistory = 100;
const historyKey = "history";

export class Composer {
  #text = /** @type {HTMLTextAreaElement} */ (byId("text"));
  /** @type {HTMLElement[]} */
  #waiting = [];
  #commands = new CommandList(this.#text, byId("commands"));
  #attachments;
  /** Earlier messages, oldest first. @type {string[]} */
  #history = readHistory();
  /** The index of the earlier message that is shown; the length of the history when none is. */
  #at = this.#history.length;
  /** What was typed before an earlier message was shown. */
  #draft = "";

  /** @param {{ onSend: () => void, onTold: (words: string) => void }} callbacks */
  constructor({ onSend, onTold }) {
    this.#attachments = new Attachments(byId("composer"), onTold);
    byId("send").onclick = onSend;
    this.#text.oninput = () => {
      this.#at = this.#history.length;
      this.#fit();
      this.#commands.update();
    };
    this.#text.onblur = () => this.#commands.close();
    this.#text.onkeydown = (event) => {
      if (event.isComposing) return;
      if (this.#commands.take(event.key)) return stopped(event);
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        return onSend();
      }
      if (event.key === "ArrowUp" && this.#isOnFirstLine() && this.#recall(-1)) event.preventDefault();
      if (event.key === "ArrowDown" && this.#isOnLastLine() && this.#recall(1)) event.preventDefault();
    };
  }

  /** The slash commands of the session. @param {import("./command-list.js").Command[]} commands */
  set commands(commands) {
    this.#commands.commands = commands;
  }

  /** Whether the agent takes images and files. @param {{ image?: boolean, embeddedContext?: boolean }} accepted */
  set accepted(accepted) {
    this.#attachments.accepted = accepted;
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.#text.focus(options);
  }

  /** Empties the field and returns what is to be sent; "" when there is nothing. @returns {Content} */
  take() {
    const words = this.#text.value.trim();
    const blocks = this.#attachments.take();
    this.#commands.close();
    if (words !== "") {
      this.#write("");
      this.#remember(words);
    }
    if (blocks.length === 0) return words;
    return words === "" ? blocks : [{ type: "text", text: words }, ...blocks];
  }

  /** Puts a message that could not be sent back into the field, unless the user has written something else. @param {Content} content */
  giveBack(content) {
    if (this.#text.value === "") this.#write(textOf(content));
  }

  /** Replaces the text of the field, for a message that is sent again. @param {string} text */
  edit(text) {
    this.#write(text);
    this.focus();
  }

  /** Shows a queued message; the returned function removes it. @param {Content} content */
  addWaiting(content) {
    const element = h("div", { class: "said" }, textOf(content) || "Attachment");
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

  /** @param {string} words */
  #remember(words) {
    if (this.#history.at(-1) !== words) this.#history.push(words);
    this.#history.splice(0, this.#history.length - maxHistory);
    this.#at = this.#history.length;
    sessionStorage.setItem(historyKey, JSON.stringify(this.#history));
  }

  /** Shows an earlier or later message; false when there is none. @param {number} step */
  #recall(step) {
    const to = this.#at + step;
    if (to < 0 || to > this.#history.length) return false;
    if (this.#at === this.#history.length) this.#draft = this.#text.value;
    this.#at = to;
    this.#write(this.#history[to] ?? this.#draft);
    return true;
  }

  #isOnFirstLine() {
    return !this.#text.value.slice(0, this.#text.selectionStart).includes("\n");
  }

  #isOnLastLine() {
    return !this.#text.value.slice(this.#text.selectionEnd).includes("\n");
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

/** The content with more blocks after it. @param {Content} content @param {object[]} more @returns {Content} */
export function joined(content, more) {
  if (more.length === 0) return content;
  return [...(typeof content === "string" ? [{ type: "text", text: content }] : content), ...more];
}

/** @param {Content} content */
export function textOf(content) {
  if (typeof content === "string") return content;
  return content.map((/** @type {any} */ block) => (block.type === "text" ? block.text : "")).join("");
}

/** @param {KeyboardEvent} event */
function stopped(event) {
  event.preventDefault();
  event.stopPropagation();
}

/** @returns {string[]} */
function readHistory() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(historyKey) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}
