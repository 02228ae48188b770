/**
 * Page: the person's side of a session.
 *
 * The address names the session that is shown, so a reload shows the same. A new
 * session begins with its first message; nothing is started for nothing.
 */
import { call, follow, Refused, setToken } from "./api.js";
import { Conversation } from "./conversation.js";
import { byId, h } from "./dom.js";
import { Sidebar } from "./sidebar.js";

/** @typedef {import("./api.js").Packet} Packet */
/** @typedef {{ id: string, cwd: string, title: string | null, status: string, waiting: number }} Session */
/** @typedef {{ id: string, name: string, category?: string, currentValue: string, options: { value: string, name: string }[] }} Option */

const log = byId("log");
const scroll = byId("scroll");
const text = /** @type {HTMLTextAreaElement} */ (byId("text"));
const stop = /** @type {HTMLButtonElement} */ (byId("stop"));
const notice = byId("notice");
const busy = byId("busy");

/** What is shown: a session, or a new one and whether it is on its way. @type {{ session?: Session, opening?: Promise<Session>, leave: AbortController }} */
let shown = { leave: new AbortController() };
/** Messages of ours that wait for their turn. @type {HTMLElement[]} */
const waiting = [];
let isRunning = false;
/** Where a new session works; empty is the server's own directory. */
let directory = "";

const sidebar = new Sidebar({ onOpen: (id) => void go(id), onFailed: tell });

start();

function start() {
  const [, given] = /^#token=(.+)$/.exec(location.hash) ?? [];
  if (given !== undefined) {
    sessionStorage.setItem("token", decodeURIComponent(given));
    // Out of the address, and out of the history.
    history.replaceState(null, "", location.pathname);
  }
  setToken(sessionStorage.getItem("token") ?? "");
  byId("new").onclick = () => void go("");
  byId("send").onclick = () => void send();
  byId("close").onclick = () => void leave();
  stop.onclick = () => void interrupt();
  text.oninput = fit;
  text.onkeydown = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void send();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || event.target instanceof HTMLSelectElement) return;
    if (sidebar.close()) return;
    if (isRunning) void interrupt();
  });
  window.addEventListener("hashchange", () => void show(location.hash.slice(1)));
  scroll.addEventListener(
    "scroll",
    () => (isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 48),
  );
  new ResizeObserver(() => stay()).observe(log);
  void show(location.hash.slice(1), true);
}

/** @param {string} id */
async function go(id) {
  if (location.hash.slice(1) === id) return show(id);
  location.hash = id;
}

/** Shows a session; without an id a new one, or the last at first. @param {string} id @param {boolean} [isFirst] */
async function show(id, isFirst = false) {
  shown.leave.abort();
  for (const element of waiting.splice(0)) element.remove();
  const leaving = new AbortController();
  shown = { leave: leaving };
  try {
    const sessions = await sidebar.load();
    if (leaving.signal.aborted) return;
    const session = sessions.find((one) => one.id === id);
    if (session === undefined && id !== "")
      tell("That session is no longer open. Earlier conversations are in the list.");
    else tell("");
    const [last] = sessions;
    if (isFirst && session === undefined && last !== undefined) return void go(last.id);
    await (session === undefined ? begin() : open(session, leaving));
  } catch (cause) {
    if (leaving.signal.aborted) return;
    if (cause instanceof Refused && cause.status === 401) return askToken(cause.message);
    tell(wordsOf(cause));
  }
}

/** An empty page for a session that is to come. */
function begin() {
  log.replaceChildren();
  byId("options").replaceChildren();
  sidebar.mark("");
  heading({ title: null, cwd: "" });
  setRunning(false);
  const field = h("input", {
    type: "text",
    value: directory,
    placeholder: sidebar.root,
    spellcheck: false,
    id: "directory",
  });
  field.oninput = () => (directory = field.value.trim());
  byId("welcome").replaceChildren(
    h("h2", {}, "What shall we work on?"),
    h(
      "p",
      {},
      "Claude works in a directory of the computer this page comes from, and asks before it changes anything.",
    ),
    h("label", { htmlFor: "directory" }, "Directory"),
    field,
  );
  byId("welcome").hidden = false;
  text.focus();
}

/** @param {Session} session @param {AbortController} leaving */
async function open(session, leaving) {
  const { messages, running, lastEventId, status } = await call("GET", `sessions/${session.id}/messages`);
  if (leaving.signal.aborted) return;
  byId("welcome").hidden = true;
  shown.session = session;
  sidebar.mark(session.id);
  heading(session);
  const conversation = new Conversation(log, {
    cwd: session.cwd,
    answer: (requestId, optionId) =>
      attempt(call("POST", `sessions/${session.id}/permissions/${requestId}`, { optionId })),
  });
  isAtEnd = true;
  for (const packet of [...messages, ...running]) conversation.take(packet);
  conversation.draw();
  setRunning(status !== "idle", conversation);
  void showOptions(session.id);
  stay();
  text.focus({ preventScroll: true });
  follow(session.id, lastEventId, {
    signal: leaving.signal,
    onLine: (isUp) => tell(isUp ? "" : "Reconnecting…"),
    onPacket: (packet) => heard(conversation, packet),
  }).catch((cause) => {
    // Too much has happened since: begin again from the history.
    if (cause instanceof Refused && cause.status === 410) return void show(session.id);
    tell(cause instanceof Refused && cause.status === 404 ? "This session was closed." : wordsOf(cause));
    setRunning(false);
    void sidebar.load();
  });
}

/** @param {Conversation} conversation @param {Packet} packet */
function heard(conversation, packet) {
  if (packet.type === "user_message_chunk") {
    waiting.shift()?.remove();
    setRunning(true);
  }
  conversation.take(packet);
  if (packet.type === "prompt_response" || packet.type === "error") setRunning(false);
  else setRunning(isRunning, conversation);
  if (packet.type.startsWith("permission") || !isRunning) void sidebar.load();
  stay();
}

async function send() {
  const content = text.value.trim();
  if (content === "") return;
  text.value = "";
  fit();
  try {
    const at = shown;
    const session = at.session ?? (await (at.opening ??= create(at)));
    if (isRunning) {
      const element = h("div", { class: "said" }, content);
      waiting.push(element);
      byId("waiting").append(element);
    }
    isAtEnd = true;
    await call("POST", `sessions/${session.id}/send-message`, { content });
    stay();
  } catch (cause) {
    waiting.pop()?.remove();
    if (text.value === "") text.value = content;
    fit();
    tell(wordsOf(cause));
  }
}

/** Opens a session, and goes there unless the person went elsewhere. @param {typeof shown} from @returns {Promise<Session>} */
async function create(from) {
  tell("Starting Claude…");
  try {
    const session = await call("POST", "sessions", directory === "" ? {} : { cwd: directory });
    tell("");
    if (shown === from) location.hash = session.id;
    return session;
  } catch (cause) {
    delete from.opening;
    throw cause;
  }
}

async function interrupt() {
  if (shown.session === undefined) return;
  stop.disabled = true;
  await attempt(call("POST", `sessions/${shown.session.id}/interrupt`)).catch(() => (stop.disabled = false));
}

/** Closes the session; its conversation stays. */
async function leave() {
  if (shown.session === undefined) return;
  await attempt(call("POST", `sessions/${shown.session.id}/close`)).catch(() => {});
  await go("");
}

/** @param {Promise<void>} doing */
function attempt(doing) {
  return doing.catch((cause) => {
    tell(wordsOf(cause));
    throw cause;
  });
}

/** @param {{ title: string | null, cwd: string }} session */
function heading({ title, cwd }) {
  byId("title").textContent = title ?? "New session";
  byId("cwd").textContent = cwd;
  byId("close").hidden = cwd === "";
  document.title = title === null ? "Bowline" : `${title} · Bowline`;
}

/** @param {boolean} is @param {Conversation} [conversation] */
function setRunning(is, conversation) {
  const isAsking = (conversation?.questions.size ?? 0) > 0;
  busy.hidden = !is;
  busy.className = isAsking ? "asking" : "";
  if (is) said(busy.firstElementChild, isAsking ? "Claude waits for your answer" : "Working");
  if (is === isRunning) return;
  isRunning = is;
  stop.hidden = !is;
  stop.disabled = false;
  log.setAttribute("aria-busy", String(is));
  if (!is && shown.session !== undefined) void retitle(shown.session);
}

/** Not written again: a screen reader would say it again. @param {Element | null} element @param {string} words */
function said(element, words) {
  if (element !== null && element.textContent !== words) element.textContent = words;
}

/** The agent may have found a title. @param {Session} session */
async function retitle(session) {
  const now = (await sidebar.load()).find(({ id }) => id === session.id);
  if (now === undefined || shown.session?.id !== now.id) return;
  heading(now);
  await showOptions(now.id);
}

/** The mode, the model and their like, to choose from. @param {string} id */
async function showOptions(id) {
  const { options } = await call("GET", `sessions/${id}`).catch(() => ({ options: [] }));
  if (shown.session?.id !== id) return;
  byId("options").replaceChildren(
    ...options
      .filter(
        (/** @type {Option} */ { category, options: choices }) => category && choices?.every(({ value }) => value),
      )
      .map((/** @type {Option} */ option) => chooser(id, option)),
  );
}

/** @param {string} id @param {Option} option */
function chooser(id, { id: configId, name, currentValue, options }) {
  const choices = options.map(({ value, name: label }) =>
    h("option", { value, selected: value === currentValue }, label),
  );
  const select = h("select", { "aria-label": name, title: name }, choices);
  select.onchange = () => {
    const setting = call("POST", `sessions/${id}/options/${configId}`, { value: select.value });
    void attempt(setting).then(
      () => showOptions(id),
      () => (select.value = currentValue),
    );
  };
  return select;
}

/** @param {string} why */
function askToken(why) {
  const field = h("input", { type: "password", id: "token", autocomplete: "off" });
  const enter = () => {
    const given = field.value.trim().replace(/^.*#token=/, "");
    sessionStorage.setItem("token", given);
    setToken(given);
    void show(location.hash.slice(1), true);
  };
  field.onkeydown = ({ key }) => key === "Enter" && enter();
  log.replaceChildren();
  heading({ title: null, cwd: "" });
  tell(sessionStorage.getItem("token") ? why : "");
  byId("welcome").hidden = false;
  byId("welcome").replaceChildren(
    h("h2", {}, "Sign in"),
    h("p", {}, "Open the address that bowline serve printed, or paste it here."),
    h("label", { htmlFor: "token" }, "Token"),
    h("div", { class: "row" }, field, h("button", { type: "button", class: "primary", onclick: enter }, "Open")),
  );
  field.focus();
}

/** @param {string} words */
function tell(words) {
  notice.textContent = words;
  notice.hidden = words === "";
}

/** @param {unknown} cause */
function wordsOf(cause) {
  return cause instanceof Refused ? cause.message : "Something went wrong on this page. Reload it to go on.";
}

let isAtEnd = true;
/** Stays at the end while the person is there. */
function stay() {
  if (isAtEnd) scroll.scrollTop = scroll.scrollHeight;
}

/** As high as its text. */
function fit() {
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight}px`;
}
