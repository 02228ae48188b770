/**
 * Renders packets as the elements of a conversation.
 *
 * Accepts live and stored packets alike. The chunks of one message become one element,
 * a tool call is one card from start to end, and a turn has one plan.
 */
import { h } from "../dom.js";
import { artifactCard } from "./artifacts.js";
import { FormCard } from "./form.js";
import { copyButton, inline, showMarkdown } from "../text/markdown.js";
import { questionsMoved } from "./settle.js";
import { engineOf, labelled, speakerMark, withoutLabels } from "./speaker.js";
import { ToolCard } from "./tool-call.js";

/** @typedef {import("../api.js").Packet} Packet */

const stops = /** @type {Record<string, string>} */ ({
  cancelled: "Stopped.",
  max_tokens: "Stopped: the answer reached its length limit.",
  max_turn_requests: "Stopped: the turn reached its limit of steps.",
  refusal: "The model declined to answer this.",
});

const frameMs = 16;
/** After a redraw the page waits this many times its duration, so redraws of streaming text use a fifth of the time. */
const restFactor = 4;

export class Conversation {
  /** The ids of pending permission requests and forms. @type {Set<string>} */
  questions = new Set();
  /** The files that were made, in order. @type {Map<string, import("./artifacts.js").Artifact>} */
  artifacts = new Map();
  #log;
  #actions;
  #cwd;
  /** Gives an element the message that it shows. @type {WeakMap<HTMLElement, (open: { text: string }) => void>} */
  #owns = new WeakMap();
  /** @type {Map<string, FormCard>} */
  #forms = new Map();
  /** The last message of the user. */
  #lastSaid = { id: "", text: "" };
  /** The message whose chunks are still arriving. @type {{ key: string, text: string, show: (text: string) => void, element: HTMLElement } | undefined} */
  #open;
  /** @type {Map<string, ToolCard>} */
  #calls = new Map();
  /** @type {HTMLElement | undefined} */
  #plan;
  #isDrawing = false;
  /** When the last redraw ended and how long it took. */
  #drawn = { atMs: 0, tookMs: 0 };

  /**
   * @typedef {object} Actions
   * @property {(requestId: string, optionId: string, reason?: string) => Promise<void>} answer
   * @property {(requestId: string, body: object) => Promise<void>} answerForm
   * @property {(artifact: import("./artifacts.js").Artifact) => void} openArtifact
   * @property {(messageId: string, text: string) => void} edit Puts a message back into the field.
   * @property {(messageId: string, text: string) => void} resend
   */

  /** @param {HTMLElement} log @param {{ cwd: string } & Actions} options */
  constructor(log, { cwd, ...actions }) {
    this.#log = log;
    this.#cwd = cwd;
    this.#actions = actions;
    log.replaceChildren();
  }

  /** @param {Packet} packet */
  take(packet) {
    switch (packet.type) {
      case "user_message_chunk":
      case "user_message":
        return this.#userMessage(packet);
      case "agent_message_chunk":
      case "agent_message":
        return this.#message(packet, "message", () => this.#answerElement(engineOf(packet)));
      case "agent_thought_chunk":
      case "agent_thought":
        return this.#message(packet, "thought", () => thought(engineOf(packet)));
      case "tool_call_start":
      case "tool_call_progress":
        return this.#call(packet);
      case "permission_request":
        this.#close();
        this.questions.add(packet.requestId);
        return this.#card(packet.toolCallId).ask(packet);
      case "permission_resolved":
        this.questions.delete(packet.requestId);
        for (const card of this.#calls.values()) card.settle(packet.requestId);
        return questionsMoved();
      case "agent_plan_update":
        return this.#planned(packet);
      case "artifact_created":
        this.artifacts.set(packet.artifact.path, packet.artifact);
        return this.#add(artifactCard(packet.artifact, this.#cwd, this.#actions.openArtifact));
      case "notice":
        return this.#add(noticeLine(packet));
      case "elicitation_request": {
        this.questions.add(packet.requestId);
        const form = new FormCard(packet, this.#actions.answerForm);
        this.#forms.set(packet.requestId, form);
        // The form replaces the card of the call that asks.
        const asking = this.#calls.get(packet.toolCallId);
        if (asking?.isQuestion === true) form.replaceWhenAnswered(asking.element);
        return this.#add(form.element);
      }
      case "elicitation_resolved":
        this.questions.delete(packet.requestId);
        this.#forms.get(packet.requestId)?.settle(packet.action);
        return questionsMoved();
      case "prompt_response":
        return this.#ended(stops[packet.stopReason] ?? "");
      case "error":
        this.#add(
          h("div", { class: "error", role: "alert" }, h("span", {}, inline(sentence(packet.message))), this.#retry()),
        );
        return this.#ended("");
    }
  }

  /** @param {Packet} packet */
  #userMessage(packet) {
    if (this.#open?.key !== `said ${packet.messageId}`) this.#plan = undefined;
    this.#message(packet, `said ${packet.messageId}`, () => this.#saidElement(packet.messageId));
    if (packet.content.type === "text")
      this.#lastSaid = { id: packet.messageId, text: this.#open?.text ?? packet.content.text };
  }

  /** A message of the user, with buttons to copy it, to change it, and to send the last one again. @param {string} id */
  #saidElement(id) {
    const words = h("div", { class: "words plain" });
    const text = () => words.textContent ?? "";
    const edit = h("button", { type: "button", class: "copy", title: "Edit and send again" }, "Edit");
    edit.onclick = () => this.#actions.edit(id, text());
    const retry = h("button", { type: "button", class: "copy retry", title: "Send it again" }, "Retry");
    retry.onclick = () => this.#actions.resend(id, text());
    const tools = h("div", { class: "tools" }, edit, retry, copyButton("Copy the message", text));
    return h("div", { class: "said" }, words, tools);
  }

  /** An answer of the agent, with a button that copies its Markdown. @param {string} engine */
  #answerElement(engine) {
    /** @type {{ text: string } | undefined} */
    let own;
    const words = h("div", { class: "words" });
    const tools = h(
      "div",
      { class: "tools" },
      copyButton("Copy the answer", () => withoutLabels(own?.text ?? "", engine).trim()),
    );
    const element = h(
      "div",
      { class: "message", "data-engine": engine || undefined },
      speakerMark(engine),
      words,
      tools,
    );
    this.#owns.set(element, (open) => (own = open));
    return element;
  }

  /** A button that sends the last message again. */
  #retry() {
    const { id, text } = this.#lastSaid;
    const button = h("button", { type: "button" }, "Try again");
    button.onclick = () => this.#actions.resend(id, text);
    return text === "" ? "" : button;
  }

  /** Appends a chunk to the open message with this key, or starts a new message. @param {Packet} packet @param {string} kind @param {() => HTMLElement} make */
  #message(packet, kind, make) {
    const { content } = packet;
    const engine = engineOf(packet);
    const key = `${kind} ${engine}`.trimEnd();
    const isPlain = key.startsWith("said");
    if (content.type === "image" && !isPlain) return this.#picture(content);
    if (content.text === "") return;
    if (this.#open?.key !== key) {
      const element = make();
      const target = element.querySelector(".words") ?? element;
      this.#add(element);
      const show = (/** @type {string} */ text) => {
        if (isPlain) target.textContent = text.trim();
        else showMarkdown(/** @type {HTMLElement} */ (target), withoutLabels(text, engine));
      };
      this.#open = { key, text: "", show, element };
      this.#owns.get(element)?.(this.#open);
    }
    if (content.type === "image") {
      // A picture of the user's message stands below its text, above the buttons.
      const image = pictureOf(content);
      if (image !== undefined) this.#open.element.lastElementChild?.before(image);
      return;
    }
    this.#open.text += content.text;
    this.#drawSoon();
  }

  /** Schedules a redraw: at most one per animation frame, and fewer when a redraw takes long. */
  #drawSoon() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    const { atMs, tookMs } = this.#drawn;
    const waitMs = atMs + tookMs * restFactor - performance.now();
    if (waitMs > frameMs) setTimeout(() => this.draw(), waitMs);
    else requestAnimationFrame(() => this.draw());
  }

  /** Shows the text received so far. */
  draw() {
    this.#isDrawing = false;
    const startedMs = performance.now();
    this.#open?.show(this.#open.text);
    const atMs = performance.now();
    this.#drawn = { atMs, tookMs: atMs - startedMs };
  }

  /** @param {{ data: string, mimeType: string }} content */
  #picture(content) {
    const image = pictureOf(content);
    if (image !== undefined) this.#add(h("div", { class: "message" }, image));
  }

  /** @param {Packet} packet */
  #call(packet) {
    this.#close();
    const isTodo = packet.title === "todowrite" || Array.isArray(packet.rawInput?.todos);
    // The plan shows the todos; the call needs no card of its own.
    if (isTodo && packet.status !== "failed" && !this.#calls.has(packet.toolCallId)) return;
    // A call that begins again under a known id is another call: a recording that is played twice has such ids.
    const known = this.#calls.get(packet.toolCallId);
    const isAgain = packet.type === "tool_call_start" || known?.turn !== packet.turn_index;
    if (known?.isOver === true && isAgain) this.#calls.delete(packet.toolCallId);
    this.#card(packet.toolCallId).take(packet);
  }

  /** @param {string} id */
  #card(id) {
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const card = new ToolCard(this.#cwd, this.#actions.answer);
    this.#calls.set(id, card);
    this.#add(card.element);
    return card;
  }

  /** @param {Packet} packet */
  #planned({ entries }) {
    this.#close();
    const done = entries.filter((/** @type {any} */ { status }) => status === "completed").length;
    const list = entries.map((/** @type {any} */ { content, status }) => {
      const { engine, text } = labelled(content);
      const state = h("span", { class: "state", role: "img", "aria-label": marks[status] ?? "" });
      return h("li", { class: status }, state, h("span", {}, text), speakerMark(engine));
    });
    const plan = h(
      "section",
      { class: "plan", "aria-label": "Plan" },
      h("header", {}, "Plan ", h("span", {}, `${done} of ${entries.length}`)),
      h("ul", {}, list),
    );
    if (this.#plan === undefined) this.#add(plan);
    else this.#plan.replaceWith(plan);
    this.#plan = plan;
  }

  /** @param {string} why */
  #ended(why) {
    this.#close();
    if (why !== "") this.#add(h("p", { class: "stopped" }, why));
  }

  /** @param {HTMLElement} element */
  #add(element) {
    this.#close();
    this.#log.append(element);
  }

  /** Completes the open message. */
  #close() {
    this.draw();
    this.#open = undefined;
  }
}

const marks = /** @type {Record<string, string>} */ ({
  pending: "to do",
  in_progress: "in progress",
  completed: "done",
});

/** Undefined for a type that browsers do not show as a picture. @param {{ data: string, mimeType: string }} content */
function pictureOf({ data, mimeType }) {
  if (!/^image\/(png|jpeg|gif|webp)$/.test(mimeType)) return undefined;
  return h("img", { src: `data:${mimeType};base64,${data}`, alt: "Picture" });
}

/** @param {string} engine */
function thought(engine) {
  const summary = h("summary", {}, "Thinking", speakerMark(engine) && " ", speakerMark(engine));
  return h("details", { class: "thought" }, summary, h("div", { class: "words" }));
}

/** A line such as "The API is overloaded, trying again in 4 s". @param {Packet} notice */
function noticeLine({ severity, title, description }) {
  const more = description ? h("span", {}, `: ${description}`) : null;
  return h("p", { class: `notice ${severity}`, role: "status" }, title, more);
}

/** @param {string} text */
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
