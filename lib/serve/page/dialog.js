/**
 * The modal dialog of the page: one at a time, closed by its button or Escape.
 *
 * The browser gives the focus back to the element that had it before.
 */
import { byId, h } from "./dom.js";

/** @param {string} title @param {Node[]} body @param {Node[]} [actions] Beside the title. @param {() => void} [onClose] */
export function showDialog(title, body, actions = [], onClose = () => {}) {
  const dialog = element();
  const close = h("button", { type: "button" }, "Close");
  close.onclick = () => dialog.close();
  dialog.setAttribute("aria-label", title);
  dialog.replaceChildren(
    h("header", {}, h("h2", {}, title), h("div", { class: "row" }, ...actions, close)),
    h("div", { class: "body", tabIndex: 0, role: "region", "aria-label": "Content" }, ...body),
  );
  dialog.onclose = () => {
    dialog.replaceChildren();
    onClose();
  };
  if (!dialog.open) dialog.showModal();
}

export function closeDialog() {
  element().close();
}

export function isDialogOpen() {
  return element().open;
}

function element() {
  return /** @type {HTMLDialogElement} */ (byId("dialog"));
}
