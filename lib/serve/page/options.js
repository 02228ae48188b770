/**
 * Select elements for the session's options, such as mode and model.
 */
import { call } from "./api.js";
import { byId, h } from "./dom.js";
import { attempt } from "./notice.js";

/** @typedef {{ id: string, name: string, category?: string, currentValue: string, options: { value: string, name: string }[] }} Option */

/** Loads and shows a session's options, unless the user has left the session meanwhile. @param {string} id @param {() => boolean} isShown */
export async function showOptions(id, isShown) {
  const { options } = await call("GET", `sessions/${id}`).catch(() => ({ options: [] }));
  if (!isShown()) return;
  byId("options").replaceChildren(
    ...options
      .filter(
        (/** @type {Option} */ { category, options: choices }) => category && choices?.every(({ value }) => value),
      )
      .map((/** @type {Option} */ option) => chooser(id, option, isShown)),
  );
}

export function clearOptions() {
  byId("options").replaceChildren();
}

/** @param {string} id @param {Option} option @param {() => boolean} isShown */
function chooser(id, { id: configId, name, currentValue, options }, isShown) {
  const choices = options.map(({ value, name: label }) =>
    h("option", { value, selected: value === currentValue }, label),
  );
  const select = h("select", { "aria-label": name, title: name }, choices);
  select.onchange = () => {
    const setting = call("POST", `sessions/${id}/options/${configId}`, { value: select.value });
    void attempt(setting).then(
      () => showOptions(id, isShown),
      () => (select.value = currentValue),
    );
  };
  return select;
}
