/**
 * Conversation: packets in, what a person sees out.
 *
 * Takes live packets and stored ones alike. Chunks of one message are one element,
 * a tool call is one card whatever happens to it, and a turn has one plan.
 */
import { h, shortPath } from "./dom.js";
import { inline, showMarkdown } from "./markdown.js";
import { ToolCard } from "./tool-call.js";

/** @typedef {import("./api.js").Packet} Packet */

const stops = /** @type {Record<string, string>} */ ({
  cancelled: "Stopped.",
  max_tokens: "Stopped: the answer reached its length limit.",
  max_turn_requests: "Stopped: the turn reached its limit of steps.",
  refusal: "Claude declined to answer this.",
});

const artifactNames = /** @type {Record<string, string>} */ ({
  file: "File",
  image: "Image",
  nextjs_app: "Next.js app",
  web_app: "Web app",
});

const frameMs = 16;
/** After a drawing, the page rests this many times as long as it took: text that streams in takes a fifth of the time. */
const restFactor = 4;

export class Conversation {
  /** Those that wait for an answer. @type {Set<string>} */
  questions = new Set();
  #log;
  #cwd;
  #answer;
  /** The message that grows. @type {{ key: string, text: string, show: (text: string) => void } | undefined} */
  #open;
  /** @type {Map<string, ToolCard>} */
  #calls = new Map();
  /** @type {HTMLElement | undefined} */
  #plan;
  #isDrawing = false;
  /** When the last drawing ended and how long it took. */
  #drawn = { atMs: 0, tookMs: 0 };

  /**
   * @param {HTMLElement} log
   * @param {{ cwd: string, answer: (requestId: string, optionId: string) => Promise<void> }} ends
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
        return this.#said(packet);
      case "agent_message_chunk":
      case "agent_message":
        return this.#words(packet, "message", () => h("div", { class: "message" }));
      case "agent_thought_chunk":
      case "agent_thought":
        return this.#words(packet, "thought", thought);
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
  #said(packet) {
    if (this.#open?.key !== `said ${packet.messageId}`) this.#plan = undefined;
    this.#words(packet, `said ${packet.messageId}`, () => h("div", { class: "said" }));
  }

  /** @param {Packet} packet @param {string} key @param {() => HTMLElement} make */
  #words({ content }, key, make) {
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

  /** Not more often than the screen is drawn, and a block that takes long to draw less often than that. */
  #drawSoon() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    const { atMs, tookMs } = this.#drawn;
    const waitMs = atMs + tookMs * restFactor - performance.now();
    if (waitMs > frameMs) setTimeout(() => this.draw(), waitMs);
    else requestAnimationFrame(() => this.draw());
  }

  /** Shows the words that have come. */
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
    // The plan shows it.
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

  /** The message is whole. */
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
