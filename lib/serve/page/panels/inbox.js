/**
 * The inbox: the open questions of all sessions, with the same cards as in a conversation.
 *
 * A card stays while its question is open, so that what the user has typed into it is kept
 * when the list is loaded again.
 */
import { call } from "../api.js";
import { closeDialog, isDialogOpen, showDialog } from "../dialog.js";
import { byId, h } from "../dom.js";
import { FormCard } from "../conversation/form.js";
import { attempt } from "../notice.js";
import { questionsMoved } from "../conversation/settle.js";
import { ToolCard } from "../conversation/tool-call.js";

/** @typedef {import("../page.js").Session} Session */
/** @typedef {{ id: string, sessionId: string, kind: string, request: any }} Question */

export class Inbox {
  /** @type {Question[]} */
  #questions = [];
  /** @type {Session[]} */
  #sessions = [];
  /** @type {Map<string, HTMLElement>} */
  #cards = new Map();
  #list = h("div", { class: "inbox" });
  #isShown = false;
  #button = /** @type {HTMLButtonElement} */ (byId("inbox"));
  #callbacks;

  /** @param {{ onOpen: (sessionId: string) => void, onChange: () => void }} callbacks */
  constructor(callbacks) {
    this.#callbacks = callbacks;
    this.#button.onclick = () => this.#show();
  }

  /** How many questions the session had when the list was loaded. @param {string} sessionId */
  countIn(sessionId) {
    return this.#questions.length - this.countBeside(sessionId);
  }

  /** How many questions other sessions than this one have. @param {string} sessionId */
  countBeside(sessionId) {
    return this.#questions.filter((one) => one.sessionId !== sessionId).length;
  }

  /** Loads the questions, if one of the sessions has any. @param {Session[]} sessions */
  async update(sessions) {
    this.#sessions = sessions;
    const isAsking = sessions.some(({ status }) => status === "asking");
    this.#questions = isAsking ? (await call("GET", "questions")).questions : [];
    const count = this.#questions.length;
    this.#button.hidden = count === 0;
    this.#button.textContent = count === 1 ? "1 question waits" : `${count} questions wait`;
    if (this.#isShown) this.#draw();
    this.#callbacks.onChange();
  }

  #show() {
    this.#cards.clear();
    this.#draw();
    this.#isShown = true;
    showDialog("Questions of all sessions", [this.#list], [], () => (this.#isShown = false));
  }

  #draw() {
    const ids = new Set(this.#questions.map(({ id }) => id));
    for (const id of this.#cards.keys()) if (!ids.has(id)) this.#cards.delete(id);
    for (const question of this.#questions)
      if (!this.#cards.has(question.id)) this.#cards.set(question.id, this.#card(question));
    const cards = [...this.#cards.values()];
    // Replacing them would take the focus from a field.
    if (cards.every((card, i) => this.#list.children[i] === card) && this.#list.children.length === cards.length)
      return;
    this.#list.replaceChildren(...(cards.length === 0 ? [h("p", {}, "No question waits.")] : cards));
    questionsMoved();
  }

  /** @param {Question} question */
  #card({ id, sessionId, kind, request }) {
    const { title, cwd = "" } = this.#sessions.find((one) => one.id === sessionId) ?? {};
    const open = h("button", { type: "button", class: "small" }, "Open the session");
    open.onclick = () => {
      closeDialog();
      this.#callbacks.onOpen(sessionId);
    };
    const name = h("h3", {}, title ?? "New session");
    return h("section", { class: "waiting" }, h("header", {}, name, open), this.#body(id, kind, request, cwd));
  }

  /** @param {string} id @param {string} kind @param {any} request @param {string} cwd */
  #body(id, kind, request, cwd) {
    if (kind === "permission") {
      const { toolCall, options } = request;
      const card = new ToolCard(cwd, (_id, optionId, reason) => this.#answer(id, { optionId, reason }));
      card.ask({ type: "permission_request", ...toolCall, options, requestId: id, rawInput: toolCall.rawInput ?? {} });
      return card.element;
    }
    return new FormCard({ type: "elicitation_request", ...request, requestId: id }, (_id, body) =>
      this.#answer(id, body),
    ).element;
  }

  /** @param {string} id @param {object} body */
  async #answer(id, body) {
    await attempt(call("POST", `questions/${id}`, body));
    this.#questions = this.#questions.filter((one) => one.id !== id);
    this.#draw();
    await this.update((await call("GET", "sessions")).sessions);
    if (this.#questions.length === 0 && isDialogOpen()) closeDialog();
  }
}
