/**
 * The card of one tool call: its input, its output, and the buttons of a permission
 * request.
 *
 * Redrawn from the latest packets, so live and stored packets give the same card. In
 * text that the user has to decide about, invisible characters are marked.
 */
import { diffView } from "../text/diff.js";
import { h, shortPath } from "../dom.js";
import { markInvisible } from "../text/invisible-characters.js";
import { codeBlock } from "../text/markdown.js";
import { settle } from "./settle.js";
import { engineOf, speakerMark, withoutLabels } from "./speaker.js";
import { failure, lastLines, output } from "./tool-output.js";
import { languageOf } from "../../../display/syntax.ts";
import { inputText, unshownInput } from "../../../display/unshown-input.ts";

/** @typedef {import("../api.js").Packet} Packet */

/** Verbs for a pending, a running and a completed call. */
const verbs = /** @type {Record<string, [string, string, string]>} */ ({
  write: ["Write", "Writing", "Wrote"],
  edit: ["Edit", "Editing", "Edited"],
  read: ["Read", "Reading", "Read"],
  execute: ["Run", "Running", "Ran"],
  search: ["Search for", "Searching for", "Searched for"],
  task: ["Delegate", "Delegating", "Delegated"],
  webfetch: ["Fetch", "Fetching", "Fetched"],
  websearch: ["Search the web for", "Searching the web for", "Searched the web for"],
});

/**
 * The tools whose input says what a call does. The model writes the input, and any other tool may
 * have fields of the same names, so a question about another tool shows its title.
 */
const known = new Set(
  "apply_patch bash edit glob grep list ls multiedit notebookedit powershell read shell task webfetch websearch write".split(
    " ",
  ),
);

/** The title of a plan that was not approved; its text is Markdown. A stored packet has no name of the tool. */
const refusedPlan = "Plan not approved";

/** Names of the states for screen readers. */
const states = /** @type {Record<string, string>} */ ({
  pending: "waiting",
  in_progress: "running",
  asking: "needs your answer",
  completed: "done",
  failed: "failed",
});

/** Output with more lines than this is collapsed at first. */
const maxOpenLines = 24;

export class ToolCard {
  element = h("section", { class: "tool" });
  /** @type {string} */
  name = "";
  /** @type {Packet} */
  #packet = { type: "" };
  /** @type {Packet | undefined} */
  #question;
  /** When the question appeared. */
  #shownAtMs = 0;
  #cwd;
  #answer;
  /** Whether the user has opened or collapsed the card; undefined when neither. @type {boolean | undefined} */
  #isOpen;

  /** @param {string} cwd @param {(requestId: string, optionId: string, reason?: string) => Promise<void>} answer */
  constructor(cwd, answer) {
    this.#cwd = cwd;
    this.#answer = answer;
  }

  /** The index of its turn, in stored packets. @type {number | undefined} */
  get turn() {
    return this.#packet.turn_index;
  }

  /** Whether the call is one that asks the user. */
  get isQuestion() {
    return Array.isArray(this.#packet.rawInput?.questions) || this.name === "askuserquestion";
  }

  /** Whether the call has ended. */
  get isOver() {
    return this.#packet.status === "completed" || this.#packet.status === "failed";
  }

  /** Takes a `tool_call_start` or `tool_call_progress` packet. @param {Packet} packet */
  take(packet) {
    if (packet.type === "tool_call_start") this.name = packet.title;
    this.name ||= nameOf(packet);
    this.#packet = packet;
    if (packet.status === "completed" || packet.status === "failed") this.#question = undefined;
    this.#draw();
  }

  /** @param {Packet} question */
  ask(question) {
    if (this.#packet.type === "") this.#packet = { ...question, status: "pending" };
    this.name ||= nameOf({ title: question.title });
    if (this.#question?.requestId !== question.requestId) this.#shownAtMs = performance.now();
    this.#question = question;
    this.#draw();
  }

  /** @param {string} requestId */
  settle(requestId) {
    if (this.#question?.requestId !== requestId) return;
    this.#question = undefined;
    this.#draw();
  }

  #draw() {
    const question = this.#question;
    const packet = question ? { ...this.#packet, ...shownOf(this.#packet, question) } : this.#packet;
    const status = question ? "asking" : packet.status;
    const body = this.#body(packet, status);
    const isOpen = this.#isOpen ?? (question !== undefined || isOpenAtFirst(packet));
    this.element.className = `tool ${status}`;
    if (engineOf(packet) !== "") this.element.dataset["engine"] = engineOf(packet);
    this.element.replaceChildren(
      body.length === 0
        ? h("div", { class: "head" }, this.#head(packet, status))
        : this.#fold(packet, status, body, isOpen),
      question ? this.#buttons(question) : "",
    );
  }

  /** @param {Packet} packet @param {string} status @param {Node[]} body @param {boolean} isOpen */
  #fold(packet, status, body, isOpen) {
    const fold = h("details", { open: isOpen }, h("summary", { class: "head" }, this.#head(packet, status)), body);
    fold.ontoggle = () => (this.#isOpen = fold.open === isOpenAtFirst(packet) ? undefined : fold.open);
    return fold;
  }

  /** @param {Packet} packet @param {string} status */
  #head(packet, status) {
    const kind = this.#isByTitle(packet.kind) ? "" : verbOf(this.name, packet);
    const [todo, doing, done] = (Object.hasOwn(verbs, kind) && verbs[kind]) || ["", "", ""];
    const isDone = status === "completed" || typeof packet.rawOutput?.metadata?.exit === "number";
    const verb = isDone ? done : status === "in_progress" ? doing : todo;
    const isCode =
      packet.kind === "execute" || packet.kind === "edit" || packet.kind === "read" || packet.kind === "search";
    const subject = h(isCode ? "code" : "span", {}, markInvisible(this.#subject(packet)));
    return [
      h("span", { class: "state", role: "img", "aria-label": states[status] ?? status }),
      h("span", { class: "what" }, verb, " ", subject, placesOf(packet)),
      exitOf(packet),
      speakerMark(engineOf(packet)),
    ];
  }

  /** Whether the user is asked about a tool whose input may have any meaning. @param {string} kind */
  #isByTitle(kind) {
    return this.#question !== undefined && !known.has(this.name) && (this.name !== "" || kind === "other");
  }

  /** The command, file, pattern or description shown in the card's head. @param {Packet} packet */
  #subject({ kind, rawInput = {}, title: given = "", content, status, _meta }) {
    const title = withoutLabels(given, engineOf({ _meta }));
    if (this.#isByTitle(kind)) return String(title);
    if (kind === "execute") return String(rawInput.command || title).trim();
    if (kind === "edit" || kind === "read")
      return shortPath(this.#headPath({ type: "", kind, rawInput, content }) || String(title), this.#cwd);
    if (this.name === "askuserquestion")
      return status === "completed" ? "Your answers" : questionsOf(rawInput) || String(title);
    if (kind === "search") return String(rawInput.pattern ?? title);
    if (this.name === "task") return String(rawInput.description ?? title);
    return String(rawInput.url ?? rawInput.query ?? title);
  }

  /** The file shown in the card's head; "" when it shows none. @param {Packet} packet */
  #headPath({ kind, rawInput = {}, content }) {
    if (this.#isByTitle(kind) || (kind !== "edit" && kind !== "read")) return "";
    const diff = content?.find((/** @type {any} */ { type }) => type === "diff");
    return String(rawInput.filePath ?? rawInput.file_path ?? diff?.path ?? "");
  }

  /** @param {Packet} packet @param {string} status @returns {HTMLElement[]} */
  #body(packet, status) {
    const isFailed = status === "failed";
    const items = /** @type {any[]} */ (packet.content ?? []);
    const diffs = items.filter(({ type }) => type === "diff");
    const isOver = status === "completed" || isFailed;
    const isRun = isOver || status === "in_progress";
    const texts = items.flatMap(({ content }) =>
      content?.type === "text" && content.text !== "" ? [isRun ? content.text : markInvisible(content.text)] : [],
    );
    const images = items.flatMap(({ content }) => (content?.type === "image" ? [content] : []));
    /** @type {HTMLElement[]} */
    const body = diffViews(diffs, packet.locations ?? [], this.#cwd, this.#headPath(packet));
    const isAsking = status === "asking";
    const isWord = packet.kind === "edit" && diffs.length > 0 && !isFailed && !isAsking;
    const command = markInvisible(String(packet.rawInput?.command ?? "")).trim();
    const isRepeated = (/** @type {string} */ text) =>
      !isOver && packet.kind === "execute" && text.replace(/^```\w*\n([^]*?)\n```\s*$/, "$1").trim() === command;
    for (const text of isWord ? [] : texts.filter((one) => !isRepeated(one)))
      body.push(
        isFailed && packet.kind !== "execute" && packet.title !== refusedPlan
          ? failure(text)
          : output(
              isAsking ? "" : packet.kind,
              isOver || isAsking ? text : lastLines(text),
              languageOf(this.#subject(packet)),
            ),
      );
    if (this.#isByTitle(packet.kind) && body.length === 0 && Object.keys(packet.rawInput ?? {}).length > 0)
      body.push(codeBlock(markInvisible(JSON.stringify(packet.rawInput, null, 2)), "json"));
    else if (isAsking) {
      // An agent may have what it asks about only in the input.
      const { description = "" } = packet.rawInput ?? {};
      const shown = [this.#subject(packet), this.#headPath(packet), String(description), ...texts];
      const { replace_all: isEverywhere, ...input } = packet.rawInput ?? {};
      const unsaid = isEverywhere === true && placesOf(packet) !== "" ? input : (packet.rawInput ?? {});
      const rest = unshownInput(withoutDiffs(unsaid, this.name, diffs), shown);
      if (rest !== undefined) body.push(codeBlock(markInvisible(inputText(rest)), ""));
    }
    for (const { data, mimeType } of images)
      if (/^image\/(png|jpeg|gif|webp)$/.test(mimeType))
        body.push(h("img", { src: `data:${mimeType};base64,${data}`, alt: "" }));
    return body;
  }

  /**
   * Options for this call only come first, options that change later permissions after them.
   * The buttons ignore clicks for `settleMs` after the question has appeared.
   * @param {Packet} question
   */
  #buttons(question) {
    const row = h("div", { class: "answers", role: "group", "aria-label": "Your answer" });
    const isLasting = (/** @type {{ kind: string }} */ { kind }) => kind !== "allow_once" && kind !== "reject_once";
    // The field for a reason replaces the option that would open a form.
    const all = /** @type {{ optionId: string, name: string, kind: string }[]} */ (question.options).filter(
      ({ optionId }) => optionId !== "reject_reason",
    );
    const options = [...all.filter((one) => !isLasting(one)), ...all.filter(isLasting)];
    /** @param {string} optionId @param {string} [reason] */
    const choose = (optionId, reason) => {
      if (!isReady()) return;
      for (const one of element.querySelectorAll("button")) one.disabled = true;
      this.#answer(question.requestId, optionId, reason).catch(() => {
        for (const one of element.querySelectorAll("button")) one.disabled = false;
      });
    };
    for (const { optionId, name, kind } of options) {
      const look = kind === "allow_once" ? "primary" : isLasting({ kind }) ? "lasting" : "";
      const button = h("button", { type: "button", class: look }, markInvisible(name));
      button.onclick = () => choose(optionId);
      row.append(button);
    }
    const no = options.find(({ kind }) => kind === "reject_once");
    const why = no && reasonField((reason) => choose(no.optionId, reason));
    const element = h("div", { class: "question" }, describe(question), row, why);
    const isReady = settle(element, this.#shownAtMs);
    return element;
  }
}

/** Fields of an input whose text is in a diff. */
const diffFields = ["old_string", "new_string", "oldString", "newString", "content", "new_source"];

/** The input without what its diffs show. @param {Record<string, any>} input @param {string} name @param {any[]} diffs */
function withoutDiffs(input, name, diffs) {
  /** @param {string} key @param {unknown} value @returns {boolean} */
  const isIn = (key, value) => {
    if (value == null || value === false) return true;
    if (key === "edits" && Array.isArray(value))
      return value.every((edit) => Object.entries(edit ?? {}).every(([field, one]) => isIn(field, one)));
    if (key === "filePath" || key === "file_path") return diffs.some(({ path }) => path === value);
    if (!diffFields.includes(key) || typeof value !== "string") return false;
    return diffs.some(({ oldText, newText }) => `${oldText ?? ""}\0${newText}`.includes(value));
  };
  const rest = Object.fromEntries(Object.entries(input).filter(([key, value]) => !isIn(key, value)));
  // The content of a patch has all of it.
  return name === "apply_patch" && diffs.length > 0 ? { ...rest, changes: undefined } : rest;
}

/**
 * A table for each diff, below the name of its file unless the card's head has it. The lines of a file's first diff are numbered from 1 when its place is not
 * known: it is a whole file. Those of later ones have no number then.
 * @param {any[]} diffs @param {any[]} locations @param {string} cwd @param {string} headPath
 */
function diffViews(diffs, locations, cwd, headPath) {
  let shift = 0;
  const isNamed = diffs.every(({ path }) => path === headPath);
  return diffs.flatMap(({ path, oldText, newText }, i) => {
    const isFirst = diffs[i - 1]?.path !== path;
    if (isFirst) shift = 0;
    const place = locations[i]?.line || (isFirst ? 1 : undefined);
    const { element, added, taken } = diffView({ oldText: oldText ?? "", newText, place, shift });
    shift += added - taken;
    const name = h("p", { class: "file" }, h("code", {}, markInvisible(shortPath(String(path), cwd))));
    return isNamed || !isFirst ? [element] : [name, element];
  });
}

/** What the model says a command is for, and the agent's own title if it is not the command. @param {Packet} question */
function describe({ kind, rawInput, title }) {
  if (kind !== "execute") return null;
  const words = rawInput?.description;
  const purpose = typeof words === "string" && words !== "" ? h("p", { class: "purpose" }, markInvisible(words)) : null;
  const isCommand = flat(rawInput?.command ?? title).includes(flat(title).replace(/…$/, ""));
  return [isCommand || title === words ? null : h("p", { class: "purpose" }, markInvisible(title)), purpose];
}

/** Without what a title leaves out of a command. @param {unknown} text */
function flat(text) {
  return markInvisible(String(text)).replaceAll(/[\s`]+/g, "");
}

/** A field for what the agent should do instead. @param {(reason: string) => void} onReason */
function reasonField(onReason) {
  const field = h("input", {
    type: "text",
    "aria-label": "No, and do this instead",
    placeholder: "No, and do this instead…",
  });
  const button = h("button", { type: "button" }, "Reject and say this");
  const send = () => field.value.trim() !== "" && onReason(field.value.trim());
  button.onclick = send;
  field.onkeydown = (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return h("div", { class: "reason" }, field, button);
}

/** The fields of a permission request that replace those of the call's latest packet. @param {Packet} packet @param {Packet} question */
function shownOf(packet, question) {
  const { content, locations, rawInput, kind, title, _meta = packet._meta } = question;
  const input = { ...packet.rawInput, ...rawInput };
  return { kind, title, rawInput: input, content: content ?? packet.content, locations, _meta };
}

/** @param {{ [key: string]: any }} packet */
function nameOf({ rawInput = {}, title = "" }) {
  if (rawInput.subagent_type) return "task";
  if (Array.isArray(rawInput.todos)) return "todowrite";
  return /\s|\//.test(title) ? "" : title.toLowerCase();
}

/** @param {string} name @param {Packet} packet */
function verbOf(name, { kind, content }) {
  if (kind !== "edit") return kind === "other" ? name : kind;
  const diff = content?.find((/** @type {any} */ item) => item.type === "diff");
  return diff?.oldText === "" || (diff === undefined && name === "write") ? "write" : "edit";
}

/** In how many places an edit replaces a text, as its title says; "" for a single one. @param {Packet} packet */
function placesOf({ kind, title = "" }) {
  return (kind === "edit" && / \(in all \d+ places\)$/.exec(title)?.[0]) || "";
}

/** The questions that a call asks the user. @param {{ questions?: unknown }} input */
function questionsOf({ questions }) {
  return Array.isArray(questions) ? questions.map((one) => String(one?.question ?? "")).join(" ") : "";
}

/** Edits, answers, failures, running commands and short command output are expanded at first. @param {Packet} packet */
function isOpenAtFirst({ kind, status, content, rawInput }) {
  if (kind === "edit" || status === "failed" || Array.isArray(rawInput?.questions)) return true;
  if (kind === "execute" && status === "in_progress") return true;
  const lines = (content ?? []).map((/** @type {any} */ { content: block }) => block?.text?.split("\n").length ?? 0);
  return (
    kind === "execute" &&
    lines.reduce((/** @type {number} */ sum, /** @type {number} */ n) => sum + n, 0) <= maxOpenLines
  );
}

/** @param {Packet} packet */
function exitOf({ rawOutput }) {
  const exit = rawOutput?.metadata?.exit;
  return typeof exit === "number" && exit !== 0 ? h("span", { class: "exit" }, `exit ${exit}`) : null;
}
