/**
 * Inspect: the page of `bowline inspect`, put together from its parts.
 *
 * A tape's rows in; a list, a time axis and a tree out. The tape is carried in the
 * page as packed bytes, and taken out of it when it is read.
 */
import { Timeline } from "./timeline.js";
import { Controls } from "./controls.js";
import { showDetail } from "./detail.js";
import { byId, make } from "./dom.js";
import { showHeader } from "./header.js";
import { listenToKeys } from "./shortcuts.js";
import { lanesOf } from "./participants.js";
import { List } from "./list.js";
import { Actions } from "./actions.js";
import { readTape } from "./tape.js";
import { timeScale } from "./time-scale.js";
import { openingView } from "./view-state.js";

/** @typedef {import("./model.ts").MessageRow} Row */

unpack()
  .then(show)
  .catch((/** @type {unknown} */ cause) => (byId("title").textContent = `this page cannot be shown: ${String(cause)}`));

/** The tape as text. */
function unpack() {
  const bytes = atob(byId("tape").textContent ?? "");
  byId("tape").remove();
  const packed = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) packed[i] = bytes.charCodeAt(i);
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

/** @param {string} text */
function show(text) {
  const tape = readTape(text);
  const view = openingView(tape);
  const lanes = lanesOf(tape.sides);
  const reveal = (/** @type {Row} */ row) => moves.reveal(row);
  const axis = new Timeline(
    tape,
    timeScale(
      tape.rows.map(({ t }) => t),
      tape.end,
    ),
    reveal,
  );
  const list = new List(tape, view, lanes, (item) => moves.click(item));
  const moves = new Actions(tape, view, list, {
    onChosen: () => showDetail(tape, view, reveal),
    onMoved: () => axis.mark(view.chosen && ("one" in view.chosen ? view.chosen.one : view.chosen.rows[0])),
    onFiltered: () => controls.press(),
    onCleared: () => controls.clear(),
  });
  const controls = new Controls(tape, view, moves, () => axis.draw());
  listenToKeys(view, { moves, list, controls });
  addEventListener("resize", () => {
    list.paint();
    axis.draw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => axis.draw());

  showHeader(tape);
  for (const { name, percent } of lanes) {
    const head = make("i", "", name);
    head.style.left = `${84 + (percent * 210) / 100}px`;
    byId("lanes").append(head);
  }
  controls.press();
  axis.draw();
  list.arrange();
  list.paint();
  showDetail(tape, view, reveal);
  const wanted = location.hash.length > 1 ? tape.rows[Number(location.hash.slice(1))] : undefined;
  if (wanted !== undefined) reveal(wanted);
  list.focus();
  document.documentElement.dataset["ready"] = String(tape.rows.length);
}
