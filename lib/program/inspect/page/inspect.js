/**
 * Entry point of the page of `bowline inspect`: reads the tape and connects the parts.
 *
 * The tape is embedded in the page as compressed bytes; the element that holds them is
 * removed once they are read.
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

readEmbeddedTape()
  .then(show)
  .catch((/** @type {unknown} */ cause) => (byId("title").textContent = `this page cannot be shown: ${String(cause)}`));

/** Decompresses the embedded tape. */
function readEmbeddedTape() {
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
  const reveal = (/** @type {Row} */ row) => actions.reveal(row);
  const timeline = new Timeline(
    tape,
    timeScale(
      tape.rows.map(({ t }) => t),
      tape.end,
    ),
    reveal,
  );
  const list = new List(tape, view, lanes, (item) => actions.click(item));
  const actions = new Actions(tape, view, list, {
    onChosen: () => {
      showDetail(tape, view, reveal);
      controls.press();
    },
    onMoved: () => timeline.mark(view.chosen && ("one" in view.chosen ? view.chosen.one : view.chosen.rows[0])),
    onFiltered: () => controls.press(),
    onCleared: () => controls.clear(),
  });
  const controls = new Controls(tape, view, actions, () => timeline.draw());
  listenToKeys(view, { actions, list, controls });
  addEventListener("resize", () => {
    list.paint();
    timeline.draw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => timeline.draw());

  showHeader(tape);
  for (const { name, percent } of lanes) {
    const head = make("i", "", name);
    head.style.left = `${84 + (percent * 210) / 100}px`;
    byId("lanes").append(head);
  }
  controls.press();
  timeline.draw();
  list.arrange();
  list.paint();
  showDetail(tape, view, reveal);
  const wanted = location.hash.length > 1 ? tape.rows[Number(location.hash.slice(1))] : undefined;
  if (wanted !== undefined) reveal(wanted);
  list.focus();
  document.documentElement.dataset["ready"] = String(tape.rows.length);
}
