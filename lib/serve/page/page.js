/**
 * Entry point of the web page: navigation between sessions, and sending messages.
 *
 * The URL fragment names the session that is shown, so a reload shows the same one. A
 * new session is created with its first message, not before.
 */
import { call, follow, Refused, setToken } from "./api.js";
import { listArtifacts, openArtifact } from "./conversation/artifacts.js";
import { Attention } from "./attention.js";
import { Composer, joined } from "./composer/composer.js";
import { Conversation } from "./conversation/conversation.js";
import { isDialogOpen } from "./dialog.js";
import { byId } from "./dom.js";
import { Finder } from "./conversation/finder.js";
import { Inbox } from "./panels/inbox.js";
import { attempt, tell, tellFailure, tellWith } from "./notice.js";
import { clearOptions, showOptions } from "./composer/options.js";
import { Revision, takeBack } from "./conversation/revision.js";
import { Sidebar } from "./panels/sidebar.js";
import { TaskPanel } from "./panels/tasks.js";
import { askOpening, askToken, hideWelcome } from "./panels/welcome.js";

/** @typedef {import("./api.js").Packet} Packet */
/** @typedef {{ id: string, cwd: string, title: string | null, status: string, waiting: number, agent?: string }} Session */

const log = byId("log");
const scroll = byId("scroll");
const stop = /** @type {HTMLButtonElement} */ (byId("stop"));
const busy = byId("busy");

/** The session that is shown; without one, the page for a new session. `opening` is set while it is being created. @type {{ session?: Session, opening?: Promise<Session>, leave: AbortController }} */
let shown = { leave: new AbortController() };
let isRunning = false;
/** What a new session is opened with. @type {import("./panels/welcome.js").Opening} */
const opening = {};

const composer = new Composer({ onSend: () => void send(), onTold: tell });
const inbox = new Inbox({ onOpen: (id) => void go(id), onChange: countQuestions });
const sidebar = new Sidebar({
  onOpen: (id) => void go(id),
  onSessions: (sessions) => void inbox.update(sessions).catch(() => {}),
  onFailed: tell,
});
const tasks = new TaskPanel();
const revision = new Revision(() => composer.edit(""));
const attention = new Attention();
const finder = new Finder(log);
/** @type {Conversation | undefined} */
let current;

start();

function start() {
  const [, given] = /^#token=(.+)$/.exec(location.hash) ?? [];
  if (given !== undefined) {
    sessionStorage.setItem("token", decodeURIComponent(given));
    // Removes the token from the address bar and from the browser history.
    history.replaceState(null, "", location.pathname);
  }
  setToken(sessionStorage.getItem("token") ?? "");
  byId("new").onclick = () => void go("");
  byId("close").onclick = () => void leave();
  byId("rename").onclick = () => void rename();
  byId("made").onclick = () => listMade();
  byId("latest").onclick = () => toEnd();
  byId("to-question").onclick = () => toQuestion();
  stop.onclick = () => void interrupt();
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "f" && finder.open()) return event.preventDefault();
    if (event.altKey && event.code === "KeyQ" && toQuestion()) return event.preventDefault();
    if (event.key !== "Escape" || event.isComposing || event.target instanceof HTMLSelectElement) return;
    if (isDialogOpen() || finder.close() || sidebar.close()) return;
    if (isRunning) void interrupt();
  });
  window.addEventListener("hashchange", () => void show(location.hash.slice(1)));
  scroll.addEventListener("scroll", () => {
    isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 48;
    byId("latest").hidden = isAtEnd;
  });
  // The view gets smaller too: when the options appear, or when the message field grows.
  const resized = new ResizeObserver(() => stay());
  for (const element of [log, scroll]) resized.observe(element);
  void show(location.hash.slice(1), true);
}

/** @param {string} id */
async function go(id) {
  if (location.hash.slice(1) === id) return show(id);
  location.hash = id;
}

/** Shows a session; without an id the page for a new one, or the latest session if `isFirst`. @param {string} id @param {boolean} [isFirst] */
async function show(id, isFirst = false) {
  shown.leave.abort();
  composer.clearWaiting();
  revision.cancel();
  tasks.show("");
  const leaving = new AbortController();
  shown = { leave: leaving };
  try {
    const sessions = await sidebar.load();
    if (leaving.signal.aborted) return;
    void introduce();
    const session = sessions.find((one) => one.id === id);
    if (session === undefined && id !== "")
      tellWith("That session is no longer open.", "Continue it", () => void reopen(id));
    else tell("");
    const [last] = sessions;
    if (isFirst && session === undefined && last !== undefined) return void go(last.id);
    if (session !== undefined) return await open(session, leaving);
    const { agents } = await call("GET", "agents");
    if (!leaving.signal.aborted) begin(agents);
  } catch (cause) {
    if (leaving.signal.aborted) return;
    if (cause instanceof Refused && cause.status === 401) return signIn(cause.message);
    tellFailure(cause);
  }
}

/** Says what kind of server this is: a recording, or one that cannot work. */
async function introduce() {
  const about = await call("GET", "about").catch(() => undefined);
  if (about === undefined) return;
  const recording =
    "This is a recording. Whatever you send, the same recorded session is played, and nothing on this computer is changed.";
  const watching = "You can watch these sessions. Messages and answers need the owner's address.";
  const words = about.role === "observer" ? watching : about.isRecording ? recording : (about.problem ?? "");
  document.body.classList.toggle("watching", about.role === "observer");
  byId("banner").textContent = words;
  byId("banner").hidden = words === "";
  composer.accepted = about.prompt;
}

/** Opens a conversation that was closed, or that an earlier server had open. @param {string} id */
async function reopen(id) {
  try {
    tell("Opening the conversation…");
    const session = await call("POST", "sessions", { sessionId: id });
    tell("");
    await go(session.id);
  } catch (cause) {
    tellFailure(cause);
  }
}

/** Shows the page for a new session. @param {import("./panels/welcome.js").Agent[]} agents */
function begin(agents) {
  current = undefined;
  composer.commands = [];
  log.replaceChildren();
  clearOptions();
  sidebar.mark("");
  heading({ title: null, cwd: "" });
  setRunning(false);
  askOpening(sidebar.root, agents, opening);
  composer.focus();
}

/** @param {Session} session @param {AbortController} leaving */
async function open(session, leaving) {
  const { messages, running, lastEventId, status } = await call("GET", `sessions/${session.id}/messages`);
  if (leaving.signal.aborted) return;
  hideWelcome();
  shown.session = session;
  sidebar.mark(session.id);
  heading(session);
  const conversation = new Conversation(log, {
    cwd: session.cwd,
    answer: (requestId, optionId, reason) =>
      attempt(answer(session.id, requestId, optionId, reason)).then(() => composer.focus({ preventScroll: true })),
    answerForm: (requestId, body) =>
      attempt(call("POST", `sessions/${session.id}/forms/${requestId}`, body)).then(() =>
        composer.focus({ preventScroll: true }),
      ),
    openArtifact: (artifact) => void openArtifact(session.id, artifact),
    edit: (messageId, words) => {
      composer.edit(words);
      void revision.begin(session.id, messageId);
    },
    resend: (messageId, words) => void resend(session.id, messageId, words),
  });
  current = conversation;
  byId("latest").hidden = true;
  isAtEnd = true;
  for (const packet of [...messages, ...running]) conversation.take(packet);
  conversation.draw();
  byId("made").hidden = conversation.artifacts.size === 0;
  setRunning(status !== "idle", conversation);
  void load(session);
  tasks.show(session.id);
  toEnd();
  composer.focus({ preventScroll: true });
  follow(session.id, lastEventId, {
    signal: leaving.signal,
    onLine: (isUp) => tell(isUp ? "" : "Reconnecting…"),
    onPacket: (packet) => onPacket(conversation, packet),
  }).catch((cause) => {
    // The server has dropped the events in between: reload the stored messages.
    if (cause instanceof Refused && cause.status === 410) return void show(session.id);
    if (cause instanceof Refused && cause.status === 404)
      tellWith("This session was closed. Its conversation is saved.", "Continue it", () => void reopen(session.id));
    else tellFailure(cause);
    setRunning(false);
    void sidebar.load();
  });
}

/** @param {Conversation} conversation @param {Packet} packet */
function onPacket(conversation, packet) {
  if (packet.type === "user_message_chunk") {
    composer.shiftWaiting();
    setRunning(true);
  }
  conversation.take(packet);
  if (/^(tool_call|prompt_response)/.test(packet.type)) tasks.changed();
  if (packet.type === "prompt_response" || packet.type === "error") setRunning(false);
  else setRunning(isRunning, conversation);
  if (/^(permission|elicitation)/.test(packet.type) || !isRunning) void sidebar.load();
  byId("made").hidden = conversation.artifacts.size === 0;
  stay();
}

/** Answers a permission request. @param {string} id @param {string} requestId @param {string} optionId @param {string} [reason] */
async function answer(id, requestId, optionId, reason) {
  await call("POST", `sessions/${id}/permissions/${requestId}`, { optionId, reason });
}

/** Sends a message again: in place of the old one where the agent can take messages back. @param {string} id @param {string} messageId @param {string} words */
async function resend(id, messageId, words) {
  const content = isRunning ? undefined : await takeBack(id, messageId);
  if (content !== undefined) await show(id);
  await send(content ?? words);
}

/** Sends the given content, or what is in the message field. @param {import("./composer/composer.js").Content} [given] */
async function send(given) {
  let content = given ?? composer.take();
  if (content === "") return;
  attention.allow();
  let takeBack = () => {};
  try {
    const at = shown;
    const session = at.session ?? (await (at.opening ??= create(at)));
    const others = given === undefined ? await revision.apply() : undefined;
    if (others !== undefined) {
      await show(session.id);
      content = joined(content, others);
    }
    if (isRunning) takeBack = composer.addWaiting(content);
    isAtEnd = true;
    await call("POST", `sessions/${session.id}/send-message`, { content });
    stay();
  } catch (cause) {
    takeBack();
    composer.giveBack(content);
    tellFailure(cause);
  }
}

/** Creates a session, and shows it unless the user has navigated elsewhere meanwhile. @param {typeof shown} from @returns {Promise<Session>} */
async function create(from) {
  tell("Starting the agent…");
  try {
    const session = await call("POST", "sessions", opening);
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

/** Closes the session; the saved conversation stays. */
async function leave() {
  if (shown.session === undefined) return;
  await attempt(call("POST", `sessions/${shown.session.id}/close`)).catch(() => {});
  await go("");
}

async function rename() {
  const { session } = shown;
  if (session === undefined) return;
  const title = window.prompt("Title of this conversation", session.title ?? "")?.trim();
  if (!title) return composer.focus();
  await attempt(call("POST", `sessions/${session.id}/title`, { title })).catch(() => {});
  await retitle(session);
  composer.focus();
}

/** Lists the files that the session has made. */
function listMade() {
  const { session } = shown;
  if (session === undefined || current === undefined) return;
  listArtifacts([...current.artifacts.values()], session.cwd, (artifact) => void openArtifact(session.id, artifact));
}

/** Loads the options, commands and usage of a session. @param {Session} session */
async function load(session) {
  const details = await showOptions(session.id, () => isShown(session));
  if (details !== undefined) composer.commands = details.commands ?? [];
}

/** @param {{ title: string | null, cwd: string, agent?: string }} session */
function heading({ title, cwd, agent }) {
  byId("title").textContent = title ?? "New session";
  byId("cwd").textContent = agent === undefined ? cwd : `${agent} · ${cwd}`;
  for (const id of ["close", "rename", "find"]) byId(id).hidden = cwd === "";
  byId("made").hidden = (current?.artifacts.size ?? 0) === 0 || cwd === "";
  attention.title = title === null ? "Bowline" : `${title} · Bowline`;
}

/** @param {boolean} is @param {Conversation} [conversation] */
function setRunning(is, conversation) {
  const isAsking = (conversation?.questions.size ?? 0) > 0;
  busy.hidden = !is;
  busy.className = isAsking ? "asking" : "";
  byId("to-question").hidden = !isAsking;
  countQuestions();
  if (is) setText(busy.firstElementChild, isAsking ? "The agent waits for your answer" : "Working");
  if (is === isRunning) return;
  isRunning = is;
  stop.hidden = !is;
  stop.disabled = false;
  log.setAttribute("aria-busy", String(is));
  if (!is && shown.session !== undefined) void retitle(shown.session);
}

/** Shows how many questions wait, in the conversation that is shown and in other sessions. */
function countQuestions() {
  const id = shown.session?.id ?? "";
  attention.show(Math.max(current?.questions.size ?? 0, inbox.countIn(id)) + inbox.countBeside(id));
}

/** Puts the focus on the first answer to the latest question; false when none waits. */
function toQuestion() {
  const card = [...log.querySelectorAll(".tool.asking")].at(-1);
  const control = /** @type {HTMLElement | null | undefined} */ (
    card?.querySelector(".fields input, .answers button, .fields button")
  );
  card?.scrollIntoView({ block: "nearest" });
  control?.focus();
  return control !== null && control !== undefined;
}

/** Leaves unchanged text alone: a screen reader would announce it again. @param {Element | null} element @param {string} text */
function setText(element, text) {
  if (element !== null && element.textContent !== text) element.textContent = text;
}

/** Reloads title and options: the agent may have changed them during the turn. @param {Session} session */
async function retitle(session) {
  const now = (await sidebar.load()).find(({ id }) => id === session.id);
  if (now === undefined || !isShown(now)) return;
  heading(now);
  await load(now);
}

/** @param {Session} session */
function isShown({ id }) {
  return shown.session?.id === id;
}

/** @param {string} why */
function signIn(why) {
  log.replaceChildren();
  heading({ title: null, cwd: "" });
  tell(sessionStorage.getItem("token") ? why : "");
  askToken((given) => {
    sessionStorage.setItem("token", given);
    setToken(given);
    void show(location.hash.slice(1), true);
  });
}

/** Scrolls to the end, and stays there. */
function toEnd() {
  isAtEnd = true;
  byId("latest").hidden = true;
  stay();
}

let isAtEnd = true;
/** Keeps the view scrolled to the end if the user has not scrolled up. */
function stay() {
  if (isAtEnd) scroll.scrollTop = scroll.scrollHeight;
}
