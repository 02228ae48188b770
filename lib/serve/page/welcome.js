/**
 * The form shown when there is no conversation: a directory for a new session, or the
 * token.
 */
import { byId, h } from "./dom.js";

export function hideWelcome() {
  byId("welcome").hidden = true;
}

/** @param {string} directory The last input. @param {string} root The default directory. @param {(directory: string) => void} onDirectory */
export function askDirectory(directory, root, onDirectory) {
  const field = h("input", { type: "text", value: directory, placeholder: root, spellcheck: false, id: "directory" });
  field.oninput = () => onDirectory(field.value.trim());
  show(
    h("h2", {}, "What shall we work on?"),
    h(
      "p",
      {},
      "The agent works in a directory of the computer this page comes from, and asks before it changes anything.",
    ),
    h("label", { htmlFor: "directory" }, "Directory"),
    field,
  );
}

/** Accepts the token or the whole address that contains it. @param {(token: string) => void} onToken */
export function askToken(onToken) {
  const field = h("input", { type: "password", id: "token", autocomplete: "off" });
  const enter = () => onToken(field.value.trim().replace(/^.*#token=/, ""));
  field.onkeydown = ({ key }) => key === "Enter" && enter();
  show(
    h("h2", {}, "Sign in"),
    h("p", {}, "Open the address that bowline serve printed, or paste it here."),
    h("label", { htmlFor: "token" }, "Token"),
    h("div", { class: "row" }, field, h("button", { type: "button", class: "primary", onclick: enter }, "Open")),
  );
  field.focus();
}

/** @param {...HTMLElement} children */
function show(...children) {
  byId("welcome").replaceChildren(...children);
  byId("welcome").hidden = false;
}
