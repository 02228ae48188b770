/**
 * Files attached to the next message: dropped, pasted or picked.
 *
 * Images are sent as images and text files as embedded text, if the agent takes them.
 * Everything is checked before it is read: the number, the size, the type.
 */
import { byId, h } from "../dom.js";

/** Attachments of one message. */
const maxFiles = 10;
/** All attachments of one message; a body of the server has 8 MiB, and base64 adds a third. */
const maxBytes = 5 * 1024 * 1024;

/** @typedef {{ name: string, bytes: number, block: object, element: HTMLElement }} Attachment */

export class Attachments {
  /** What the agent takes. @type {{ image?: boolean, embeddedContext?: boolean }} */
  accepted = {};
  /** @type {Attachment[]} */
  #files = [];
  #onTold;

  /** @param {HTMLElement} field @param {(words: string) => void} onTold */
  constructor(field, onTold) {
    this.#onTold = onTold;
    const picker = /** @type {HTMLInputElement} */ (byId("files"));
    byId("attach").onclick = () => picker.click();
    picker.onchange = () => {
      void this.#add([...(picker.files ?? [])]);
      picker.value = "";
    };
    field.addEventListener("paste", ({ clipboardData }) => void this.#add([...(clipboardData?.files ?? [])]));
    document.addEventListener("dragover", (event) => event.preventDefault());
    // Without this, a file dropped beside the field would replace the page.
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      void this.#add([...(event.dataTransfer?.files ?? [])]);
    });
  }

  /** The blocks of the attached files; afterwards nothing is attached. */
  take() {
    const blocks = this.#files.map(({ block }) => block);
    for (const { element } of this.#files.splice(0)) element.remove();
    return blocks;
  }

  /** @param {File[]} files */
  async #add(files) {
    for (const file of files) {
      const why = this.#refusal(file);
      if (why !== "") {
        this.#onTold(why);
        continue;
      }
      const block = await this.#blockOf(file);
      if (block === undefined) this.#onTold(`${file.name} is neither an image nor text, so it cannot be attached.`);
      else this.#show(file, block);
    }
  }

  /** Why a file is not taken; "" when it is. @param {File} file */
  #refusal({ name, size, type }) {
    const sum = this.#files.reduce((bytes, one) => bytes + one.bytes, size);
    if (this.#files.length >= maxFiles) return `At most ${maxFiles} files can be attached to one message.`;
    if (sum > maxBytes) return `${name} is too large: the files of one message may have 5 MB in all.`;
    if (isImage(type) && this.accepted.image !== true) return "This agent takes no images.";
    return "";
  }

  /** @param {File} file @returns {Promise<object | undefined>} */
  async #blockOf(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (isImage(file.type)) return { type: "image", mimeType: file.type, data: base64(bytes) };
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      if (text.includes("\0")) return undefined;
      if (this.accepted.embeddedContext !== true) return { type: "text", text: `\n\n${file.name}:\n\n${text}` };
      const uri = `attachment:///${encodeURIComponent(file.name)}`;
      return { type: "resource", resource: { uri, mimeType: "text/plain", text } };
    } catch {
      return undefined;
    }
  }

  /** @param {File} file @param {any} block */
  #show({ name, size }, block) {
    const picture =
      block.type === "image" ? h("img", { src: `data:${block.mimeType};base64,${block.data}`, alt: "" }) : null;
    const remove = h("button", { type: "button", "aria-label": `Remove ${name}` }, "×");
    const element = h("div", { class: "attached" }, picture, h("span", {}, name), remove);
    const attachment = { name, bytes: size, block, element };
    remove.onclick = () => {
      this.#files = this.#files.filter((one) => one !== attachment);
      element.remove();
      byId("text").focus();
    };
    this.#files.push(attachment);
    byId("attachments").append(element);
  }
}

/** @param {string} type */
function isImage(type) {
  return /^image\/(png|jpeg|gif|webp)$/.test(type);
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  const step = 0x8000;
  let text = "";
  for (let i = 0; i < bytes.length; i += step) text += String.fromCharCode(...bytes.subarray(i, i + step));
  return btoa(text);
}
