/**
 * Entry point of the page of `bowline inspect`: reads the tape and connects the parts.
 *
 * The tape is embedded in the page as compressed blocks; the element that holds a block is
 * removed once it is read. The page stays responsive while it reads.
 */
import { Timeline } from "./timeline/timeline.js";
import { Controls } from "./controls.js";
import { showDetail } from "./detail/detail.js";
import { byId, make } from "./dom.js";
import { showHeader } from "./header.js";
import { listenToKeys } from "./shortcuts.js";
import { lanesOf } from "./recording/participants.js";
import { List } from "./list/list.js";
import { Actions } from "./actions.js";
import { TapeReader } from "./recording/tape.js";
import { Pauses } from "./pauses.js";
import { timeScale } from "./timeline/time-scale.js";
import { openingView } from "./view-state.js";

/** @typedef {import("./recording/model.ts").MessageRow} Row */
/** @typedef {import("./recording/model.ts").TapeModel} Tape */

const pauses = new Pauses();
readEmbeddedTape()
  .then(show)
  .catch((/** @type {unknown} */ cause) => (byId("title").textContent = `this page cannot be shown: ${String(cause)}`));

/** Reads the embedded tape block by block, and says how far it is. */
async function readEmbeddedTape() {
  const reader = new TapeReader();
  const blocks = [...document.querySelectorAll("script.tape")];
  for (const [i, block] of blocks.entries()) {
    const text = await unpack(block.textContent ?? "");
    block.remove();
    byId("facts").textContent = `reading the tape, ${Math.round((i / blocks.length) * 100)} %`;
    for (const line of text.split("\n")) {
      reader.read(line);
      if (pauses.isDue) await pauses.next();
    }
  }
  await pauses.next();
  return reader.finish();
}

/** @param {string} block Compressed, as base64. */
function unpack(block) {
  const bytes = atob(block);
  const packed = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) packed[i] = bytes.charCodeAt(i);
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

/** Pauses between the steps, each of which looks at every row. @param {Tape} tape */
async function show(tape) {
  await pauses.next();
  const view = openingView(tape);
  const lanes = lanesOf(tape.sides);
  const reveal = (/** @type {Row} */ row) => actions.reveal(row);
  const scale = timeScale(
    tape.rows.map(({ t }) => t),
    tape.end,
  );
  await pauses.next();
  const timeline = new Timeline(tape, scale, reveal);
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
  await pauses.next();
  timeline.draw();
  await pauses.next();
  list.arrange();
  await pauses.next();
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
  list.paint();
  showDetail(tape, view, reveal);
  const wanted = location.hash.length > 1 ? tape.rows[Number(location.hash.slice(1))] : undefined;
  if (wanted !== undefined) reveal(wanted);
  list.focus();
  document.documentElement.dataset["ready"] = String(tape.rows.length);
}
