/**
 * Renders packets as the elements of a conversation.
 *
 * Accepts live and stored packets alike. The chunks of one message become one element,
 * a tool call is one card from start to end, and a turn has one plan.
 */
import { h, shortPath } from "./dom.js";
import { inline, showMarkdown } from "./markdown.js";
import { ToolCard } from "./tool-call.js";

/** @typedef {import("./api.js").Packet} Packet */

const stops = /** @type {Record<string, string>} */ ({
  cancelled: "Stopped.",
  max_tokens: "Stopped: the answer reached its length limit.",
  max_turn_requests: "Stopped: the turn reached its limit of steps.",
  refusal: "The model declined to answer this.",
});

const artifactNames = /** @type {Record<string, string>} */ ({
  file: "File",
  image: "Image",
  nextjs_app: "Next.js app",
  web_app: "Web app",
});

const frameMs = 16;
/** After a redraw the page waits this many times its duration, so redraws of streaming text use a fifth of the time. */
const restFactor = 4;

export class Conversation {
  /** The ids of pending permission requests. @type {Set<string>} */
  questions = new Set();
  #log;
  #cwd;
  #answer;
  /** The message whose chunks are still arriving. @type {{ key: string, text: string, show: (text: string) => void } | undefined} */
  #open;
  /** @type {Map<string, ToolCard>} */
  #calls = new Map();
  /** @type {HTMLElement | undefined} */
  #plan;
  #isDrawing = false;
  /** When the last redraw ended and how long it took. */
  #drawn = { atMs: 0, tookMs: 0 };

  /**
   * @param {HTMLElement} log
   * @param {{ cwd: string, answer: (requestId: string, optionId: string) => Promise<void> }} options
   */
  constructor(log, { cwd, answer }) {
    this.#log = log;
    this.#cwd = cwd;
    this.#answer = answer;
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
        return this.#message(packet, "message", () => h("div", { class: "message" }));
      case "agent_thought_chunk":
      case "agent_thought":
        return this.#message(packet, "thought", thought);
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
        return;
      case "agent_plan_update":
        return this.#planned(packet);
      case "artifact_created":
        return this.#add(artifact(packet.artifact, this.#cwd));
      case "prompt_response":
        return this.#ended(stops[packet.stopReason] ?? "");
      case "error":
        this.#add(h("div", { class: "error", role: "alert" }, inline(sentence(packet.message))));
        return this.#ended("");
    }
  }

  /** @param {Packet} packet */
  #userMessage(packet) {
    if (this.#open?.key !== `said ${packet.messageId}`) this.#plan = undefined;
    this.#message(packet, `said ${packet.messageId}`, () => h("div", { class: "said" }));
  }

  /** Appends a chunk to the open message with this key, or starts a new message. @param {Packet} packet @param {string} key @param {() => HTMLElement} make */
  #message({ content }, key, make) {
    if (content.type === "image") return this.#picture(content, key);
    if (content.text === "") return;
    if (this.#open?.key !== key) {
      const element = make();
      const target = element.querySelector(".words") ?? element;
      this.#add(element);
      const isPlain = key.startsWith("said");
      const show = (/** @type {string} */ text) => {
        if (isPlain) target.textContent = text.trim();
        else showMarkdown(/** @type {HTMLElement} */ (target), text);
      };
      this.#open = { key, text: "", show };
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

  /** @param {{ data: string, mimeType: string }} content @param {string} key */
  #picture({ data, mimeType }, key) {
    if (!/^image\/(png|jpeg|gif|webp)$/.test(mimeType)) return;
    const image = h("img", { src: `data:${mimeType};base64,${data}`, alt: "Picture" });
    this.#add(h("div", { class: key.startsWith("said") ? "said" : "message" }, image));
  }

  /** @param {Packet} packet */
  #call(packet) {
    this.#close();
    const isTodo = packet.title === "todowrite" || Array.isArray(packet.rawInput?.todos);
    // The plan shows the todos; the call needs no card of its own.
    if (isTodo && packet.status !== "failed" && !this.#calls.has(packet.toolCallId)) return;
    this.#card(packet.toolCallId).take(packet);
  }

  /** @param {string} id */
  #card(id) {
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const card = new ToolCard(this.#cwd, this.#answer);
    this.#calls.set(id, card);
    this.#add(card.element);
    return card;
  }

  /** @param {Packet} packet */
  #planned({ entries }) {
    this.#close();
    const done = entries.filter((/** @type {any} */ { status }) => status === "completed").length;
    const list = entries.map((/** @type {any} */ { content, status }) =>
      h(
        "li",
        { class: status },
        h("span", { class: "state", role: "img", "aria-label": marks[status] ?? "" }),
        content,
      ),
    );
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

function thought() {
  return h("details", { class: "thought" }, h("summary", {}, "Thinking"), h("div", { class: "words" }));
}

/** @param {{ type: string, name: string, path: string, preview_url?: string | null }} artifact @param {string} cwd */
function artifact({ type, name, path, preview_url: url }, cwd) {
  const label = h("span", { class: "label" }, artifactNames[type] ?? "File");
  const title = /^https?:\/\//.test(url ?? "")
    ? h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, name)
    : h("strong", {}, name);
  return h(
    "section",
    { class: "artifact", "aria-label": "Artifact" },
    label,
    title,
    h("code", {}, shortPath(path, cwd)),
  );
}

/** @param {string} text */
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
