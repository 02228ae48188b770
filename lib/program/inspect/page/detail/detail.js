/**
 * The detail pane: the selected message in full, a summary of a turn or session, or the latencies.
 */
import { byId, make, marked } from "../dom.js";
import { at } from "../json.js";
import { changedPlaces } from "./json-diff.js";
import { jsonTree } from "./json-tree.js";
import { flameOf } from "./flame.js";
import { isShown } from "../list/list-items.js";
import { latencyView } from "./latency-view.js";
import { mainSide, participantsOf } from "../recording/participants.js";
import { saidIn, sizeOf } from "../list/list-row.js";
import { short, time } from "../format.js";

/** @typedef {import("../recording/model.ts").HeadItem} HeadItem */
/** @typedef {import("../recording/model.ts").MessageRow} Row */
/** @typedef {import("../recording/model.ts").RowItem} RowItem */
/** @typedef {import("../recording/model.ts").RunItem} RunItem */
/** @typedef {import("../recording/model.ts").TapeModel} Tape */
/** @typedef {import("../recording/model.ts").Tool} Tool */
/** @typedef {import("../recording/model.ts").ViewState} View */
/** @typedef {(row: Row) => void} Reveal */

const maxTools = 200;
/** Of a changed value. */
const maxChangeChars = 2000;
const maxSaidChars = 20_000;
/** A shorter message is shown fully unfolded. */
const smallChars = 4000;

/** @param {Tape} tape @param {View} view @param {Reveal} onReveal */
export function showDetail(tape, view, onReveal) {
  const { chosen } = view;
  const side = byId("detail");
  side.replaceChildren();
  side.scrollTop = 0;
  if (view.isLatency) {
    const rows = tape.rows.filter((row) => isShown(row, view));
    side.append(...latencyView(rows, onReveal));
  } else if (chosen === undefined) side.append(make("p", "empty", "Choose a message to see all of it."));
  else if (chosen.kind === "row" || chosen.kind === "run") side.append(...messageDetail(chosen, view, onReveal));
  else side.append(...groupDetail(chosen, tape, onReveal));
}

/** @param {RowItem | RunItem} item @param {View} view @param {Reveal} onReveal */
function messageDetail(item, view, onReveal) {
  const { one } = item;
  const rows = item.kind === "run" ? item.rows : [one];
  const problems = rows.flatMap((row) => row.problems ?? []).map((problem) => make("p", "bad", problem));
  const said = item.kind === "run" ? [make("blockquote", "", saidIn(item))] : [];
  /** @type {unknown} */
  const fields = JSON.parse(one.line);
  const tree = jsonTree(at(fields, "msg") ?? at(fields, "raw") ?? fields, {
    mark: (text) => marked(text, view.search),
    isOpen: one.chars < smallChars,
  });
  const title = make("h2", one.side, `${one.isAnswer ? "↩ " : ""}${one.name}`);
  return [
    title,
    factsOf(item, onReveal),
    ...problems,
    ...said,
    ...differenceView(one, fields),
    make("div", "json", tree),
  ];
}

/** How the row differs from the other tape. @param {Row} row @param {unknown} fields */
function differenceView({ diff, t }, fields) {
  if (diff === undefined) return [];
  if (diff !== "changed")
    return [make("p", `diff ${diff}`, `only in the ${diff === "added" ? "second" : "first"} tape`)];
  const [was, wasT] = [at(fields, "was"), at(fields, "wasT")];
  // Of a stream only the first row has the texts.
  if (was === undefined) return [make("p", "diff changed", "part of a changed stream")];
  const places = changedPlaces(was, at(fields, "now")).flatMap(({ path, was: old, now }) => [
    make("dt", "", path === "" ? "text" : short(path, 120)),
    make("dd", "", make("del", "", short(old, maxChangeChars)), make("ins", "", short(now, maxChangeChars))),
  ]);
  const late = typeof wasT === "number" ? ` at ${(wasT / 1000).toFixed(3)} s, now at ${(t / 1000).toFixed(3)} s` : "";
  return [make("p", "diff changed", `changed; in the first tape${late}`), make("dl", "changes", ...places)];
}

/** @param {RowItem | RunItem} item @param {Reveal} onReveal */
function factsOf(item, onReveal) {
  const { side, dir, t, chars, pair, isAnswer, ms, session } = item.one;
  const facts = make("dl");
  /** @param {string} name @param {...(Node | string)} value */
  const add = (name, ...value) => facts.append(make("dt", "", name), make("dd", "", ...value));
  const participants = participantsOf(side).map((name) => name.toLowerCase());
  if (dir === "in") add("direction", participants.join(" → "));
  if (dir === "out") add("direction", participants.toReversed().join(" → "));
  add("at", `${(t / 1000).toFixed(3)} s`);
  if (chars > 0) add("size", sizeOf(item));
  if (pair !== undefined) {
    const go = make("button", "", isAnswer ? "go to the request" : "go to the response");
    go.addEventListener("click", () => onReveal(pair));
    add("answered", `${isAnswer ? "after" : "in"} ${time(ms ?? 0)} `, go);
  } else if (ms !== undefined) add("took", time(ms));
  if (session) add("session", session);
  return facts;
}

/** The time of the turn, the prompt, the tool calls and the model's text. @param {HeadItem} item @param {Tape} tape @param {Reveal} onReveal */
function groupDetail(item, tape, onReveal) {
  const { name, rows } = item;
  const from = rows[0]?.t ?? 0;
  const to = Math.max(rows.at(-1)?.t ?? 0, from + 1);
  const tools = rows.flatMap(({ tool }) => tool ?? []).slice(0, maxTools);
  const lines = tools.map((tool) => toolLine(tool, from, to, onReveal));
  const title = make("h2", "acp", name);
  if (item.kind === "session") return [title, ...lines];
  const side = mainSide(tape.sides);
  const piece = { acp: "agent_message_chunk", codex: "item/agentMessage/delta", claude: "text_delta" }[side];
  const pieces = rows.filter((row) => row.side === side && row.name === piece).map(({ say }) => say);
  const said = make("blockquote", "", pieces.join("").slice(0, maxSaidChars));
  const flame = flameOf(item.key, side, onReveal);
  return [title, make("blockquote", "", item.key.first.say), ...flame, ...lines, ...(pieces.length > 0 ? [said] : [])];
}

/** A tool call with a bar for its share of the time. @param {Tool} tool @param {number} from @param {number} to @param {Reveal} onReveal */
function toolLine(tool, from, to, onReveal) {
  const tookMs = tool.to - tool.from;
  const bar = make("i", tool.status === "failed" ? "failed" : "");
  bar.style.left = `${((tool.from - from) / (to - from)) * 100}%`;
  bar.style.width = `${Math.max(0.6, (tookMs / (to - from)) * 100)}%`;
  const title = make("span", "", short(tool.title, 90));
  const line = make("button", "tool", title, make("span", "hint", time(tookMs)), make("b", "", bar));
  line.addEventListener("click", () => onReveal(tool.row));
  return line;
}
