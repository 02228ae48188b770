/**
 * Select elements for the session's options, such as mode and model.
 */
import { call } from "./api.js";
import { byId, h } from "./dom.js";
import { attempt } from "./notice.js";

/** @typedef {{ id: string, name: string, category?: string, currentValue: string, options: { value: string, name: string }[] }} Option */

/** Loads and shows a session's options and usage, unless the user has left the session meanwhile. Returns the session. @param {string} id @param {() => boolean} isShown @returns {Promise<any>} */
export async function showOptions(id, isShown) {
  const details = await call("GET", `sessions/${id}`).catch(() => ({ options: [] }));
  if (!isShown()) return undefined;
  const { options } = details;
  byId("usage").textContent = usageText(details.usage);
  byId("options").replaceChildren(
    ...options
      .filter(
        (/** @type {Option} */ { category, options: choices }) => category && choices?.every(({ value }) => value),
      )
      .map((/** @type {Option} */ option) => chooser(id, option, isShown)),
  );
  return details;
}

/** Such as "12% of 200k tokens · $0.42". @param {{ used: number, size: number, cost?: { amount: number, currency: string } | null } | null | undefined} usage */
export function usageText(usage) {
  if (!usage) return "";
  const { used, size, cost } = usage;
  const part =
    size > 0 ? `${Math.round((used / size) * 100)}% of ${thousands(size)} tokens` : `${thousands(used)} tokens`;
  if (!cost) return part;
  const money = cost.currency === "USD" ? `$${cost.amount.toFixed(2)}` : `${cost.amount.toFixed(2)} ${cost.currency}`;
  return `${part} · ${money}`;
}

/** @param {number} count */
function thousands(count) {
  return count < 1000 ? String(count) : `${Math.round(count / 1000)}k`;
}

export function clearOptions() {
  byId("options").replaceChildren();
  byId("usage").textContent = "";
}

/** @param {string} id @param {Option} option @param {() => boolean} isShown */
function chooser(id, { id: configId, name, currentValue, options }, isShown) {
  const choices = options.map(({ value, name: label }) =>
    h("option", { value, selected: value === currentValue }, label),
  );
  const select = h("select", { title: name }, choices);
  select.onchange = () => {
    const setting = call("POST", `sessions/${id}/options/${configId}`, { value: select.value });
    void attempt(setting).then(
      () => showOptions(id, isShown),
      () => (select.value = currentValue),
    );
  };
  return h("label", { class: "option" }, h("span", {}, name), select);
}
