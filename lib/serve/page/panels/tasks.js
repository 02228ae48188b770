/**
 * The panel of background tasks: the subagents and commands of the session that run beside
 * its turns, each with its age, its last output and a button that stops it.
 *
 * The agent does not report changes: the list is loaded when tool calls change, and every few
 * seconds while a task runs.
 */
import { call } from "../api.js";
import { showDialog } from "../dialog.js";
import { byId, h } from "../dom.js";
import { attempt } from "../notice.js";

/** @typedef {{ id: string, kind: string, title: string, ageMs?: number, lastOutput?: string }} Task */
/** @typedef {{ element: HTMLElement, update: (task: Task) => void }} Entry */

/** The list is loaded at most once in this time, however many tool calls change. */
const quietMs = 1000;
/** How often it is loaded while a task runs. */
const refreshMs = 5000;

const kinds = /** @type {Record<string, string>} */ ({ subagent: "Subagent", command: "Command" });

export class TaskPanel {
  #sessionId = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  #list = h("div", { class: "inbox" });
  #button = byId("tasks");

  constructor() {
    this.#button.onclick = () => {
      showDialog("Background tasks", [this.#list]);
      void this.#load();
    };
  }

  /** Shows the tasks of another session; "" for none. @param {string} sessionId */
  show(sessionId) {
    this.#sessionId = sessionId;
    this.#draw([]);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (sessionId !== "") void this.#load();
  }

  /** Something may have started or ended. */
  changed() {
    if (this.#sessionId !== "") this.#timer ??= setTimeout(() => void this.#load(), quietMs);
  }

  async #load() {
    const id = this.#sessionId;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { tasks } = await call("GET", `sessions/${id}/tasks`).catch(() => ({ tasks: [] }));
    if (id !== this.#sessionId) return;
    this.#draw(tasks);
    if (tasks.length > 0) this.#timer ??= setTimeout(() => void this.#load(), refreshMs);
  }

  /** Changes the entries in place, so that a button keeps the focus. @param {Task[]} tasks */
  #draw(tasks) {
    const ids = new Set(tasks.map(({ id }) => id));
    for (const [id, { element }] of this.#entries) {
      if (ids.has(id)) continue;
      element.remove();
      this.#entries.delete(id);
    }
    for (const task of tasks) {
      let entry = this.#entries.get(task.id);
      if (entry === undefined) {
        entry = this.#entry(task);
        this.#entries.set(task.id, entry);
        this.#list.append(entry.element);
      }
      entry.update(task);
    }
    this.#button.hidden = tasks.length === 0;
    this.#button.textContent = tasks.length === 1 ? "1 task" : `${tasks.length} tasks`;
  }

  /** @param {Task} task @returns {Entry} */
  #entry({ id, kind, title }) {
    const age = h("span", { class: "note" });
    const output = h("code", {});
    const shown = h("pre", { tabIndex: 0, "aria-label": `Last output of ${title}` }, output);
    const stop = h("button", { type: "button", "aria-label": `Stop ${title}` }, "Stop");
    stop.onclick = () => {
      stop.disabled = true;
      attempt(call("DELETE", `sessions/${this.#sessionId}/tasks/${encodeURIComponent(id)}`)).then(
        () => this.changed(),
        () => (stop.disabled = false),
      );
    };
    const head = h("header", {}, h("h3", {}, `${kinds[kind] ?? "Task"}: ${title}`), age, stop);
    return {
      element: h("section", { class: "waiting" }, head, h("div", { class: "code" }, shown)),
      update: ({ ageMs, lastOutput = "" }) => {
        age.textContent = ageMs === undefined ? "" : ageText(ageMs);
        if (output.textContent !== lastOutput) output.textContent = lastOutput;
        shown.hidden = lastOutput === "";
      },
    };
  }
}

/** Such as "for 2 min". @param {number} ageMs */
function ageText(ageMs) {
  const seconds = Math.round(ageMs / 1000);
  if (seconds < 60) return `for ${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `for ${minutes} min` : `for ${Math.round(minutes / 60)} h`;
}
