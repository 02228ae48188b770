/**
 * The card of a form: questions of the agent with choices, check boxes and text fields.
 *
 * No choice is made in advance unless the agent names a default. The buttons ignore
 * clicks for a moment after the form has appeared, as those of a permission request do.
 */
import { h } from "../dom.js";
import { markInvisible } from "../text/invisible-characters.js";
import { settle } from "./settle.js";

/** @typedef {import("../api.js").Packet} Packet */
/** @typedef {Record<string, any>} Field */
/** @typedef {{ element: HTMLElement, read: () => unknown }} Control */

let count = 0;

export class FormCard {
  element = h("section", { class: "tool asking form" });
  /** @type {string} */
  requestId;
  #answer;
  /** The card that it replaces. @type {HTMLElement | undefined} */
  #card;

  /** @param {Packet} request @param {(requestId: string, body: object) => Promise<void>} answer */
  constructor(request, answer) {
    this.requestId = request.requestId;
    this.#answer = answer;
    this.#draw(request);
  }

  /** Shows the form in place of a card until it is answered; the card then has the answers. @param {HTMLElement} card */
  replaceWhenAnswered(card) {
    this.#card = card;
    card.hidden = true;
  }

  /** @param {string} action */
  settle(action) {
    if (this.#card !== undefined) {
      this.#card.hidden = false;
      return this.element.remove();
    }
    const words = action === "accept" ? "Answered" : "Not answered";
    const [head] = this.element.children;
    this.element.className = `tool form ${action === "accept" ? "completed" : "failed"}`;
    this.element.replaceChildren(...(head === undefined ? [] : [head]), h("p", { class: "outcome" }, words));
  }

  /** @param {Packet} request */
  #draw({ message, mode, url, requestedSchema }) {
    const id = `form-${++count}`;
    const head = h(
      "div",
      { class: "head" },
      h("span", { class: "state", role: "img", "aria-label": "needs your answer" }),
      h("strong", { id, class: "what" }, markInvisible(message)),
    );
    const { required = [], properties = {} } = requestedSchema ?? {};
    const entries = Object.entries(/** @type {Record<string, Field>} */ (properties));
    /** @type {Map<string, Control>} */
    const controls = new Map();
    for (const [name, field] of entries) {
      // The question of a single field is the message already.
      const isSame = field.description === message;
      controls.set(
        name,
        control(name, isSame ? { ...field, description: "" } : field, (required ?? []).includes(name)),
      );
    }
    const form = h("form", { class: "fields", "aria-labelledby": id, noValidate: false });
    if (mode === "url") form.append(address(url));
    for (const { element } of controls.values()) form.append(element);
    const submit = h("button", { type: "submit", class: "primary" }, mode === "url" ? "Done" : "Send answers");
    const decline = h("button", { type: "button" }, "Do not answer");
    const row = h("div", { class: "answers", role: "group", "aria-label": "Your answer" }, submit, decline);
    form.append(row);
    const isReady = settle(row);
    /** @param {object} body */
    const send = (body) => {
      if (!isReady()) return;
      for (const one of row.querySelectorAll("button")) one.disabled = true;
      this.#answer(this.requestId, body).catch(() => {
        for (const one of row.querySelectorAll("button")) one.disabled = false;
      });
    };
    decline.onclick = () => send({ action: "decline" });
    form.onsubmit = (event) => {
      event.preventDefault();
      const values = [...controls].flatMap(([name, one]) => {
        const value = one.read();
        return value === undefined ? [] : [[name, value]];
      });
      send(mode === "url" ? { action: "accept" } : { action: "accept", content: Object.fromEntries(values) });
    };
    this.element.replaceChildren(head, form);
  }
}

/** Only web addresses become links. @param {string} url */
function address(url) {
  if (!/^https?:\/\//i.test(url)) return h("p", {}, h("code", {}, markInvisible(url)));
  return h("p", {}, h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, markInvisible(url)));
}

/** @param {string} name @param {Field} field @param {boolean} isRequired @returns {Control} */
function control(name, field, isRequired) {
  const label = markInvisible(field.title ?? name);
  const choices = choicesOf(field);
  if (choices !== undefined) return choiceControl(field, { name, label, choices, isRequired });
  const note = field.description ? h("p", { class: "note" }, markInvisible(field.description)) : null;
  if (field.type === "boolean") {
    const box = h("input", { type: "checkbox", checked: field.default === true });
    return {
      element: h("div", { class: "fieldset" }, h("label", { class: "choice" }, box, label), note),
      read: () => box.checked,
    };
  }
  return textControl(field, { label, note, isRequired });
}

/** The choices of a field with a fixed list; undefined for a free one. @param {Field} field @returns {{ value: string, label: string, note: string }[] | undefined} */
function choicesOf({ type, enum: values, oneOf, items }) {
  const listed = type === "array" ? (items?.anyOf ?? items?.enum) : (oneOf ?? values);
  return listed?.map((/** @type {any} */ one) =>
    typeof one === "string"
      ? { value: one, label: one, note: "" }
      : { value: one.const, label: one.title, note: one.description ?? "" },
  );
}

/**
 * @param {Field} field
 * @param {{ name: string, label: string, choices: { value: string, label: string, note: string }[], isRequired: boolean }} about
 * @returns {Control}
 */
function choiceControl(field, { name, label, choices, isRequired }) {
  const isMany = field.type === "array";
  const chosen = isMany ? (field.default ?? []) : [field.default];
  const group = `${name}-${++count}`;
  const boxes = choices.map(({ value, label: words, note: more }) => {
    const box = h("input", {
      type: isMany ? "checkbox" : "radio",
      name: group,
      value,
      checked: chosen.includes(value),
      required: !isMany && isRequired,
    });
    const text = h(
      "span",
      {},
      markInvisible(words),
      more === "" ? null : h("span", { class: "note" }, markInvisible(more)),
    );
    return { box, value, element: h("label", { class: "choice" }, box, text) };
  });
  // The question is what the user reads first; its title is a short name for it.
  const question = field.description ? markInvisible(field.description) : "";
  const topic = question === "" ? label : [h("span", { class: "note" }, label), question];
  const hint = isMany ? h("span", { class: "note" }, " Several may be chosen.") : null;
  const element = h("fieldset", {}, h("legend", {}, topic, hint), ...boxes.map((one) => one.element));
  const read = () => {
    const values = boxes.flatMap(({ box, value }) => (box.checked ? [value] : []));
    return isMany ? values : values[0];
  };
  return { element, read };
}

/** @param {Field} field @param {{ label: string, note: HTMLElement | null, isRequired: boolean }} about @returns {Control} */
function textControl(
  { type, format, default: preset, minLength, maxLength, pattern, minimum, maximum },
  { label, note, isRequired },
) {
  const isNumber = type === "number" || type === "integer";
  const kinds = /** @type {Record<string, string>} */ ({
    email: "email",
    uri: "url",
    date: "date",
    "date-time": "datetime-local",
  });
  const input = h("input", { type: isNumber ? "number" : (kinds[format] ?? "text"), required: isRequired });
  if (isNumber) input.step = type === "integer" ? "1" : "any";
  for (const [name, value] of Object.entries({
    minlength: minLength,
    maxlength: maxLength,
    min: minimum,
    max: maximum,
  }))
    if (value != null) input.setAttribute(name, String(value));
  // HTML compares the whole value with a pattern, JSON Schema looks for it anywhere.
  if (pattern) input.pattern = `.*(?:${pattern}).*`;
  if (preset != null) input.value = String(preset);
  const read = () => {
    if (input.value.trim() === "" && !isRequired) return undefined;
    return isNumber ? Number(input.value) : format === "date-time" ? new Date(input.value).toISOString() : input.value;
  };
  return {
    element: h("div", { class: "fieldset" }, h("label", { class: "text" }, h("span", {}, label), input), note),
    read,
  };
}
