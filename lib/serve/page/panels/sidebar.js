/**
 * The sidebar: a list of open sessions and a list of saved conversations.
 */
import { call } from "../api.js";
import { byId, h } from "../dom.js";

/** @typedef {import("../page.js").Session} Session */

/** How often the list is reloaded. Browsers do it less often for a hidden page. */
const refreshMs = 10_000;

const states = /** @type {Record<string, string>} */ ({ running: "Working", asking: "Needs your answer", idle: "" });

export class Sidebar {
  /** The server's default directory. */
  root = "";
  #callbacks;
  #menu = /** @type {HTMLButtonElement} */ (byId("menu"));
  /** @type {Session[]} */
  #sessions = [];
  #shown = "";
  #drawn = "";
  /** @type {{ sessionId: string, cwd: string, title?: string | null, updatedAt?: string | null }[]} */
  #saved = [];
  #filter = /** @type {HTMLInputElement} */ (byId("filter"));

  /** @param {{ onOpen: (id: string) => void, onSessions: (sessions: Session[]) => void, onFailed: (why: string) => void }} callbacks */
  constructor(callbacks) {
    this.#callbacks = callbacks;
    this.#menu.onclick = () => this.#toggle(!this.#isOpen);
    // Not the value of close(): false would cancel the click on a link or a check box.
    byId("scroll").onclick = () => void this.close();
    const saved = /** @type {HTMLDetailsElement} */ (byId("saved"));
    this.#filter.oninput = () => {
      if (this.#filter.value !== "" && !saved.open) saved.open = true;
      this.#draw();
      this.#drawSaved();
    };
    saved.ontoggle = () => saved.open && void this.#loadSaved().catch(() => {});
    setInterval(() => {
      // Also while the page is hidden: a question of any session shows a notification.
      if (this.root !== "") void this.load().catch(() => {});
    }, refreshMs);
  }

  get #isOpen() {
    return document.body.classList.contains("menu");
  }

  /** @returns {Promise<Session[]>} */
  async load() {
    const { sessions, cwd } = await call("GET", "sessions");
    this.root = cwd;
    this.#sessions = sessions;
    byId("saved").hidden = false;
    this.#draw();
    this.#callbacks.onSessions(sessions);
    return sessions;
  }

  /** Marks the session that is shown; "" for a new one. @param {string} id */
  mark(id) {
    this.#shown = id;
    this.#toggle(false);
    this.#draw();
  }

  /** Closes the menu of small screens; false when it was not open. */
  close() {
    const wasOpen = this.#isOpen;
    this.#toggle(false);
    return wasOpen;
  }

  /** Redraws only when something has changed, so that keyboard focus inside the list is kept. */
  #draw() {
    const drawn = JSON.stringify([
      this.#shown,
      this.#filter.value,
      this.#sessions.map(({ id, title, status }) => [id, title, status]),
    ]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const found = this.#sessions.filter(({ title }) => this.#matches(title ?? "New session"));
    const entries = found.map(({ id, title, status }) => {
      const button = entry(title ?? "New session", states[status] ?? "", () => this.#callbacks.onOpen(id));
      button.classList.add(status);
      if (id === this.#shown) button.setAttribute("aria-current", "page");
      return button;
    });
    byId("sessions").replaceChildren(...entries);
  }

  async #loadSaved() {
    this.#saved = (await call("GET", "saved")).sessions;
    this.#drawSaved();
  }

  #drawSaved() {
    const list = this.#saved
      .filter(({ title }) => this.#matches(title ?? "Untitled"))
      .map((one) => {
        const title = one.title ?? "Untitled";
        const open = entry(title, dateOf(one.updatedAt), () => void this.#reopen(one.sessionId, one.cwd));
        const rename = h("button", { type: "button", class: "small", "aria-label": `Rename ${title}` }, "Rename");
        rename.onclick = () => void this.#rename(one.sessionId, title);
        const remove = h("button", { type: "button", class: "small", "aria-label": `Delete ${title}` }, "Delete");
        remove.onclick = () => void this.#remove(one.sessionId, title);
        return h("div", { class: "saved" }, open, h("div", { class: "row" }, rename, remove));
      });
    byId("saved-list").replaceChildren(...(list.length === 0 ? [h("p", {}, "None found.")] : list));
  }

  /** @param {string} title */
  #matches(title) {
    return title.toLowerCase().includes(this.#filter.value.trim().toLowerCase());
  }

  /** @param {string} id @param {string} before */
  async #rename(id, before) {
    const title = window.prompt("Title of this conversation", before)?.trim();
    if (title) await this.#change(call("POST", `saved/${id}/title`, { title }));
  }

  /** @param {string} id @param {string} title */
  async #remove(id, title) {
    if (window.confirm(`Delete the conversation "${title}"? This cannot be undone.`))
      await this.#change(call("DELETE", `saved/${id}`));
  }

  /** @param {Promise<void>} doing */
  async #change(doing) {
    try {
      await doing;
      await this.#loadSaved();
    } catch (cause) {
      this.#callbacks.onFailed(cause instanceof Error ? cause.message : "It could not be changed.");
    }
  }

  /** @param {string} sessionId @param {string} cwd */
  async #reopen(sessionId, cwd) {
    try {
      const { id } = await call("POST", "sessions", { sessionId, cwd });
      this.#callbacks.onOpen(id);
      await this.#loadSaved();
    } catch (cause) {
      this.#callbacks.onFailed(cause instanceof Error ? cause.message : "It could not be opened.");
    }
  }

  /** @param {boolean} isOpen */
  #toggle(isOpen) {
    document.body.classList.toggle("menu", isOpen);
    this.#menu.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) byId("new").focus();
  }
}

/** @param {string} title @param {string} note @param {() => void} onclick */
function entry(title, note, onclick) {
  const below = note === "" ? "" : h("span", { class: "note" }, note);
  return h("button", { type: "button", class: "entry", onclick }, h("span", { class: "name" }, title), below);
}

/** @param {string | null | undefined} at */
function dateOf(at) {
  const date = new Date(at ?? NaN);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleDateString(undefined, { day: "numeric", month: "short" });
}
