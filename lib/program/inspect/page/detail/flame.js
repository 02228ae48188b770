/**
 * Draws the time of a turn as a flame chart: the turn on top, below it what it waited for
 * and what ran, each bar as wide as its share of the time.
 */
import { make } from "../dom.js";
import { endOf, placedSpans, spansOf, timeByKind } from "../recording/turn-spans.js";
import { many, short, time } from "../format.js";

/** @typedef {import("../recording/model.ts").MessageRow} Row */
/** @typedef {import("../recording/model.ts").TapeSide} Side */
/** @typedef {import("../recording/model.ts").SpanKind} SpanKind */
/** @typedef {import("../recording/model.ts").TurnModel} Turn */

const lineHeight = 20;
/** Narrower bars have no text, as a share of the chart. */
const minLabelled = 0.08;

/** @type {Readonly<Record<SpanKind, string>>} */
const kindNames = {
  wait: "until the first output",
  thought: "thoughts",
  text: "text",
  tool: "tool calls",
  permission: "waiting for permission",
  request: "waiting for the client",
};

/** @param {Turn} turn @param {Side} side The side whose messages are read. @param {(row: Row) => void} onReveal @returns {readonly HTMLElement[]} */
export function flameOf(turn, side, onReveal) {
  const spans = spansOf(turn, side);
  if (spans.length === 0) return [];
  const placed = placedSpans(spans);
  const [from, end] = [turn.first.t, endOf(turn)];
  const totalMs = Math.max(end - from, 1);
  // The bars only repeat rows of the list, where the keyboard reaches them.
  const chart = make("div", "flame");
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", "The time of the turn as a flame chart");
  const whole = {
    kind: /** @type {const} */ ("turn"),
    title: `Turn ${turn.n}`,
    from,
    to: end,
    line: 0,
    isFailed: false,
    row: turn.first,
  };
  for (const span of [whole, ...placed]) {
    const { kind, title, line, isFailed, row } = span;
    const [left, share] = [
      (span.from - from) / totalMs,
      Math.min(1, (span.to - from) / totalMs) - (span.from - from) / totalMs,
    ];
    const bar = make("div", `span of-${kind}${isFailed ? " failed" : ""}`, share < minLabelled ? "" : short(title, 90));
    bar.title = `${short(title, 120)} · ${time(span.to - span.from)}${isFailed ? " · failed" : ""}`;
    bar.style.left = `${left * 100}%`;
    bar.style.width = `max(3px, ${share * 100}%)`;
    bar.style.top = `${line * lineHeight}px`;
    bar.addEventListener("click", () => onReveal(row));
    chart.append(bar);
  }
  chart.style.height = `${(placed.reduce((most, { line }) => Math.max(most, line), 0) + 1) * lineHeight}px`;
  const legend = make("p", "legend");
  for (const [kind, ms] of timeByKind(spans)) {
    const share = Math.round((ms / totalMs) * 100);
    legend.append(make("span", `of-${kind}`, make("i"), `${kindNames[kind]} ${time(ms)} (${share} %)`));
  }
  if (placed.length < spans.length)
    legend.append(make("span", "hint", `the longest of ${many(spans.length, "span")} are drawn`));
  return [chart, legend];
}
