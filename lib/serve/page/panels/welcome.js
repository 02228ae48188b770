/**
 * The form shown when there is no conversation: a directory and an agent for a new
 * session, or the token.
 */
import { byId, h } from "../dom.js";

/** @typedef {{ name: string, title: string, engines?: { value: string, name: string }[] }} Agent */
/** @typedef {{ agent: string, words: string, options: Record<string, string> | undefined }} Choice */
/** What a new session is opened with. @typedef {{ cwd?: string, agent?: string, options?: Record<string, string> }} Opening */

export function hideWelcome() {
  byId("welcome").hidden = true;
}

/** @param {string} root The default directory. @param {Agent[]} agents @param {Opening} opening Changed by what the user chooses. */
export function askOpening(root, agents, opening) {
  const field = h("input", {
    type: "text",
    value: opening.cwd ?? "",
    placeholder: root,
    spellcheck: false,
    id: "directory",
  });
  field.oninput = () => setOrRemove(opening, "cwd", field.value.trim() || undefined);
  show(
    h("h2", {}, "What shall we work on?"),
    h(
      "p",
      {},
      "The agent works in a directory on the computer that runs this server. In the mode Ask, it asks before it changes anything.",
    ),
    h("label", { htmlFor: "directory" }, "Directory"),
    field,
    ...agentFields(agents, opening),
  );
}

/** None where there is nothing to choose. @param {Agent[]} agents @param {Opening} opening */
function agentFields(agents, opening) {
  const choices = agents.flatMap(choicesOf);
  if (choices.length < 2) return [];
  const isChosen = (/** @type {Choice} */ { agent, options }) =>
    agent === opening.agent && options?.["route"] === opening.options?.["route"];
  const select = h(
    "select",
    { id: "agent" },
    choices.map((choice, i) => h("option", { value: String(i), selected: isChosen(choice) }, choice.words)),
  );
  const choose = () => {
    const chosen = choices[Number(select.value)];
    setOrRemove(opening, "agent", chosen?.agent);
    setOrRemove(opening, "options", chosen?.options);
  };
  select.onchange = choose;
  return [h("label", { htmlFor: "agent" }, "Agent"), select];
}

/** An agent with several engines is one choice for each of them. @param {Agent} agent @returns {Choice[]} */
function choicesOf({ name: agent, title, engines }) {
  if (engines === undefined) return [{ agent, words: title, options: undefined }];
  return engines.map(({ value, name: words }) => ({ agent, words, options: { route: value } }));
}

/** @template {keyof Opening} K @param {Opening} opening @param {K} key @param {Opening[K] | undefined} value */
function setOrRemove(opening, key, value) {
  if (value === undefined) delete opening[key];
  else opening[key] = value;
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
