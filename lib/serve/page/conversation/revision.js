/**
 * Changing a message that was sent: the user edits its text, and sending it takes the old
 * message back with everything after it, and if the user wants the changed files too.
 *
 * Where the agent cannot take messages back, the text is sent as a new message.
 */
import { call } from "../api.js";
import { byId, h } from "../dom.js";

/** @typedef {{ sessionId: string, messageId: string, restoresFiles: () => boolean, isPossible: boolean, others: object[] }} Revised */

export class Revision {
  /** @type {Revised | undefined} */
  #revised;
  #banner = byId("revision");
  #onCancel;

  /** @param {() => void} onCancel */
  constructor(onCancel) {
    this.#onCancel = onCancel;
  }

  /** Begins to change a message; says what sending it will do. @param {string} sessionId @param {string} messageId */
  async begin(sessionId, messageId) {
    /** @type {Revised} */
    const revised = { sessionId, messageId, restoresFiles: () => false, isPossible: false, others: [] };
    this.#revised = revised;
    this.#show("Looking up what can be taken back…");
    const dryRun = { messageId, files: true, dryRun: true };
    const found = await call("POST", `sessions/${sessionId}/rewind`, dryRun).catch(() => undefined);
    if (this.#revised !== revised) return;
    if (found === undefined) return this.#show("This message cannot be taken back: the text is sent as a new message.");
    revised.isPossible = true;
    // Images and files of the message go with the new text.
    revised.others = found.content.filter((/** @type {any} */ { type }) => type !== "text");
    const later = found.laterCount === 0 ? "its answer" : `everything after it (${messages(found.laterCount)})`;
    const files = filesBox(found.files);
    revised.restoresFiles = () => files?.box.checked === true;
    this.#show(`Sending replaces the old message and ${later}.`, files?.element);
  }

  /** Ends it without sending. */
  cancel() {
    this.#revised = undefined;
    this.#banner.hidden = true;
    this.#banner.replaceChildren();
  }

  /** Takes the old message back, if one is being changed. Resolves with the blocks to send after the text; undefined when nothing was taken back. @returns {Promise<object[] | undefined>} */
  async apply() {
    const revised = this.#revised;
    if (revised?.isPossible !== true) {
      this.cancel();
      return undefined;
    }
    const { sessionId, messageId, restoresFiles, others } = revised;
    await call("POST", `sessions/${sessionId}/rewind`, { messageId, files: restoresFiles() });
    this.cancel();
    return others;
  }

  /** @param {string} words @param {HTMLElement} [more] */
  #show(words, more) {
    const stop = h("button", { type: "button", class: "small" }, "Cancel the change");
    stop.onclick = () => {
      this.cancel();
      this.#onCancel();
    };
    this.#banner.replaceChildren(h("span", {}, words), ...(more ? [more] : []), stop);
    this.#banner.hidden = false;
  }
}

/** Takes a message back and returns its content; undefined when that is not possible. @param {string} sessionId @param {string} messageId @returns {Promise<object[] | undefined>} */
export async function takeBack(sessionId, messageId) {
  const reply = await call("POST", `sessions/${sessionId}/rewind`, { messageId }).catch(() => undefined);
  return reply?.content;
}

/** @param {{ paths: string[], insertions: number, deletions: number } | null} files */
function filesBox(files) {
  if (files === null || files.paths.length === 0) return undefined;
  const box = h("input", { type: "checkbox" });
  const count = files.paths.length === 1 ? "1 file" : `${files.paths.length} files`;
  const words = `Also restore ${count} to the state before this message (+${files.insertions} −${files.deletions} lines)`;
  return { box, element: h("label", { class: "choice", title: files.paths.join("\n") }, box, words) };
}

/** @param {number} count */
function messages(count) {
  return count === 1 ? "1 later message" : `${count} later messages`;
}
