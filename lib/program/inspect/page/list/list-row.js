/**
 * Renders one line of the message list.
 */
import { make, marked } from "../dom.js";
import { participantsOf } from "../recording/participants.js";
import { many, short, size, time } from "../format.js";

/** @typedef {import("../recording/participants.js").Lane} Lane */
/** @typedef {import("../recording/model.ts").HeadItem} HeadItem */
/** @typedef {import("../recording/model.ts").Item} Item */
/** @typedef {import("../recording/model.ts").MessageRow} Row */
/** @typedef {import("../recording/model.ts").RowItem} RowItem */
/** @typedef {import("../recording/model.ts").RunItem} RunItem */
/** @typedef {import("../recording/model.ts").ViewState} View */

/** Durations above this are highlighted. */
const slowMs = 1000;

/** The marks of rows that differ from the other tape. */
const diffSigns = { added: "+", removed: "−", changed: "≠" };

/** @param {Item} item @param {View} view @param {readonly Lane[]} lanes */
export function drawnRow(item, view, lanes) {
  const row =
    item.kind === "row" || item.kind === "run"
      ? messageRow(item, view.search, lanes)
      : headRow(item, view.shut.has(item.key));
  row.setAttribute("role", "option");
  return row;
}

/** The text of a row, or the joined chunks of a stream. @param {RowItem | RunItem} item */
export function saidIn(item) {
  if (item.kind === "row") return item.one.say;
  return item.rows
    .filter(({ side }) => side === item.one.side)
    .map(({ say }) => say)
    .join("");
}

/** @param {RowItem | RunItem} item */
export function sizeOf(item) {
  const chars = item.kind === "row" ? item.one.chars : item.rows.reduce((sum, row) => sum + row.chars, 0);
  return chars === 0 ? "" : size(chars);
}

/** @param {HeadItem} item @param {boolean} isShut */
function headRow(item, isShut) {
  const { kind, name, rows } = item;
  const row = make(
    "div",
    `row head ${kind}${isShut ? "" : " open"}`,
    make("span", "fold", "▸"),
    make("span", "name", name),
  );
  if (rows.some(({ problems }) => problems)) row.append(make("span", "dot"));
  const calls = rows.filter(({ tool }) => tool).length;
  const last = (item.kind === "turn" ? item.key.last : undefined) ?? rows.at(-1);
  const facts = [
    many(rows.length, "row"),
    calls > 0 && many(calls, "tool call"),
    time((last?.t ?? 0) - (rows[0]?.t ?? 0)),
    item.kind === "turn" && (item.key.last?.say || "no end"),
  ];
  row.append(make("span", "say", introduction(item)), make("span", "ms", facts.filter(Boolean).join(" · ")));
  return row;
}

/** The prompt of a turn, or the request that opened a session. @param {HeadItem} item */
function introduction(item) {
  if (item.kind === "turn") return item.key.first.say;
  const opened = item.rows.find(({ name, isAnswer }) => !isAnswer && /^session\/(new|load|resume|fork)$/.test(name));
  return opened?.say ?? "";
}

/** @param {RowItem | RunItem} item @param {string} search @param {readonly Lane[]} lanes */
function messageRow(item, search, lanes) {
  const { one } = item;
  const run = item.kind === "run" ? item.rows : undefined;
  const row = make(
    "div",
    "row",
    make("span", "at", (one.t / 1000).toFixed(3)),
    directionArrow(one, run !== undefined, lanes),
  );
  if ((run ?? [one]).some(({ problems }) => problems)) row.append(make("span", "dot"));
  if (one.diff !== undefined) row.append(make("span", `diff ${one.diff}`, diffSigns[one.diff]));
  const name = run === undefined ? `${one.isAnswer ? "↩ " : ""}${one.name}` : `${one.name} ×${run.length}`;
  row.append(
    make("span", `name ${one.isError ? "bad" : one.side}`, item.kind === "row" && item.isInner ? `  ${name}` : name),
    make("span", "say", ...marked(short(saidIn(item)), search)),
  );
  const ms = run === undefined ? one.ms : (run.at(-1)?.t ?? 0) - one.t;
  const isAnswered = one.pair !== undefined && !one.isAnswer;
  row.append(
    make("span", `ms${ms !== undefined && ms > slowMs ? " slow" : ""}`, ms === undefined || isAnswered ? "" : time(ms)),
    make("span", "size", sizeOf(item)),
  );
  return row;
}

/** The direction of a message, as an arrow between the lanes. @param {Row} one @param {boolean} isRun @param {readonly Lane[]} lanes */
function directionArrow({ side, dir, isAnswer }, isRun, lanes) {
  const lines = lanes.map(({ percent }) => {
    const line = make("u");
    line.style.left = `${percent}%`;
    return line;
  });
  const cell = make("span", "wire", ...lines);
  if (dir !== "in" && dir !== "out") return cell;
  const arrow = make("s", `${side} ${dir === "in" ? "" : "left"} ${isAnswer ? "answer" : ""} ${isRun ? "many" : ""}`);
  const [from, to] = participantsOf(side).map((end) => lanes.find(({ name }) => name === end)?.percent ?? 0);
  arrow.style.left = `calc(${from}% + 3px)`;
  arrow.style.right = `calc(${100 - (to ?? 0)}% + 2px)`;
  cell.append(arrow);
  return cell;
}
