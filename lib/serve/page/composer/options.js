/**
 * Select elements for the session's options: engine, mode, model and effort below the
 * message field, the others in a dialog.
 */
import { call } from "../api.js";
import { showDialog } from "../dialog.js";
import { byId, h } from "../dom.js";
import { attempt } from "../notice.js";
import { showUsage } from "./usage.js";

/** @typedef {{ id: string, name: string, description?: string | null, category?: string | null, currentValue: string, options: { value: string, name: string }[] }} Option */

/** Loads and shows a session's options and usage, unless the user has left the session meanwhile. Returns the session. @param {string} id @param {() => boolean} isShown @returns {Promise<any>} */
export async function showOptions(id, isShown) {
  const details = await call("GET", `sessions/${id}`).catch(() => ({ options: [] }));
  if (!isShown()) return undefined;
  showUsage(details.usage);
  const options = /** @type {Option[]} */ (details.options).filter((one) => one.options?.every(({ value }) => value));
  // The engine comes first: the other options are those of the engine that answers.
  const first = [...options.filter(isEngine), ...options.filter(isOften)];
  const rest = options.filter((one) => !first.includes(one));
  const more = h("button", { type: "button", class: "small" }, "More options");
  more.onclick = () =>
    showDialog(
      "Options of this session",
      rest.map((one) => described(id, one, isShown)),
    );
  byId("options").replaceChildren(
    ...first.map((one) => chooser(id, one, isShown)),
    ...(rest.length === 0 ? [] : [more]),
  );
  return details;
}

export function clearOptions() {
  byId("options").replaceChildren();
  showUsage(undefined);
}

/** Whether the option says which engine answers. @param {Option} option */
function isEngine({ id }) {
  return id === "route";
}

/** Whether the option is one that users change often. @param {Option} option */
function isOften({ id, category }) {
  return id !== "route" && (category === "mode" || category === "model" || category === "thought_level");
}

/** @param {string} id @param {Option} option @param {() => boolean} isShown */
function described(id, option, isShown) {
  const note = option.description ? h("p", { class: "note" }, option.description) : null;
  return h("div", { class: "fieldset" }, chooser(id, option, isShown), note);
}

/** @param {string} id @param {Option} option @param {() => boolean} isShown */
function chooser(id, { id: configId, name, currentValue, options }, isShown) {
  const choices = options.map(({ value, name: label }) =>
    h("option", { value, selected: value === currentValue }, label),
  );
  const select = h("select", { title: name, "data-option": configId }, choices);
  select.onchange = () => {
    const setting = call("POST", `sessions/${id}/options/${configId}`, { value: select.value });
    void attempt(setting).then(
      () => showOptions(id, isShown),
      () => (select.value = currentValue),
    );
  };
  return h("label", { class: "option" }, h("span", {}, name), select);
}
