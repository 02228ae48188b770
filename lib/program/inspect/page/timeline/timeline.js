/**
 * Draws the recording on a canvas: turns and tool calls as bars, messages as ticks.
 *
 * A click selects the bar under the pointer, else the message nearest in time.
 */
import { markInvisible } from "../../../../serve/page/text/invisible-characters.js";
import { byId } from "../dom.js";
import { toolBars } from "./time-scale.js";
import { time } from "../format.js";

/** @typedef {import("../recording/model.ts").MessageRow} Row */
/** @typedef {import("../recording/model.ts").TapeSide} Side */
/** @typedef {import("../recording/model.ts").TapeModel} Tape */
/** @typedef {import("../recording/model.ts").TimeScale} TimeScale */
/** @typedef {Readonly<Record<Side | "good" | "bad" | "soft", string>>} Colours */
/** A clickable bar and the row it selects. @typedef {{ x0: number, x1: number, y: number, h: number, title: string, go: Row }} Bar */

const font = "10.5px system-ui, sans-serif";
/** Empty space left and right. */
const margin = 10;
const lineHeight = 9;

export class Timeline {
  #tape;
  #scale;
  #toolBars;
  #height;
  #width = 0;
  #canvas = /** @type {HTMLCanvasElement} */ (byId("axis"));
  #here = byId("here");
  #hint = byId("hint");
  /** @type {Bar[]} */
  #bars = [];

  /** @param {Tape} tape @param {TimeScale} scale @param {(row: Row) => void} onReveal */
  constructor(tape, scale, onReveal) {
    this.#tape = tape;
    this.#scale = scale;
    this.#toolBars = toolBars(tape.tools, scale);
    this.#height = 44 + this.#toolBars.reduce((lines, { line }) => Math.max(lines, line + 1), 0) * lineHeight;
    this.#canvas.addEventListener("mousemove", (event) => this.#say(this.#barUnder(event)?.title));
    this.#canvas.addEventListener("mouseleave", () => this.#say());
    this.#canvas.addEventListener("click", (event) => {
      const row = this.#barUnder(event)?.go ?? this.#nearest(event);
      if (row !== undefined) onReveal(row);
    });
  }

  /** Marks the time of a row. @param {Row | undefined} row */
  mark(row) {
    this.#here.hidden = row === undefined;
    if (row !== undefined) this.#here.style.left = `calc(${this.#scale.x(row.t)} * (100% - 56px) + 28px)`;
  }

  draw() {
    const ratio = devicePixelRatio || 1;
    const [width, height] = [this.#canvas.clientWidth, this.#height];
    if (this.#canvas.width !== width * ratio || this.#canvas.height !== height * ratio) {
      this.#canvas.width = width * ratio;
      this.#canvas.height = height * ratio;
      this.#canvas.style.height = `${height}px`;
    }
    this.#width = width;
    this.#bars = [];
    const context = this.#canvas.getContext("2d");
    if (context === null) return;
    const colours = this.#colours();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = font;
    this.#drawTurns(context, colours);
    this.#drawTools(context, colours);
    this.#drawTicks(context, colours);
    this.#drawTimes(context, colours);
  }

  /** @param {CanvasRenderingContext2D} context @param {Colours} colours */
  #drawTurns(context, colours) {
    for (const { turns } of this.#tape.sessions.values()) {
      for (const { first, last: end, rows, n } of turns) {
        const last = end ?? rows.at(-1) ?? first;
        const [x0, x1] = [this.#x(first.t), this.#x(last.t)];
        context.fillStyle = colours.acp;
        context.globalAlpha = 0.22;
        const title = `Turn ${n} · ${time(last.t - first.t)} · ${first.say}`;
        this.#drawBar(context, { x0, x1, y: 5, h: 14, title, go: first });
        context.globalAlpha = 1;
        if (x1 - x0 > 50) context.fillText(`Turn ${n}`, x0 + 6, 15.5);
      }
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {Colours} colours */
  #drawTools(context, colours) {
    context.globalAlpha = 0.9;
    for (const { tool, from, to, line } of this.#toolBars) {
      const { title: name, status, row: go } = tool;
      context.fillStyle = { "": colours.soft, completed: colours.good, failed: colours.bad }[status];
      const title = `${name} · ${time(tool.to - tool.from)}${status === "" ? "" : ` · ${status}`}`;
      this.#drawBar(context, { x0: this.#px(from), x1: this.#px(to), y: 22 + line * lineHeight, h: 6, title, go });
    }
  }

  /** A tick for each row, the editor's side above the CLI's. @param {CanvasRenderingContext2D} context @param {Colours} colours */
  #drawTicks(context, colours) {
    const base = this.#height - 20;
    const drawn = new Set();
    context.globalAlpha = 0.5;
    for (const { t, side, problems } of this.#tape.rows) {
      const x = Math.round(this.#x(t));
      const key = x * 4 + (problems ? 2 : 0) + (side === "acp" ? 1 : 0);
      if (drawn.has(key)) continue;
      drawn.add(key);
      context.fillStyle = problems ? colours.bad : colours[side];
      context.fillRect(x, side === "acp" ? base - 5 : base, 1, problems ? 10 : 5);
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {Colours} colours */
  #drawTimes(context, colours) {
    context.globalAlpha = 1;
    context.fillStyle = colours.soft;
    for (let i = 0, last = -99; i <= 8; i++) {
      const t = (this.#tape.end * i) / 8;
      const label = time(t);
      const left = Math.min(this.#width - 12 - context.measureText(label).width, this.#x(t));
      if (left - last < 56) continue;
      last = left;
      context.fillText(i === 0 ? "0" : label, left, this.#height - 3);
    }
    for (const t of this.#scale.breaks) context.fillText("⋯", this.#x(t) + 4, this.#height - 17);
  }

  /** @param {CanvasRenderingContext2D} context @param {Bar} bar */
  #drawBar(context, bar) {
    const { x0, x1, y, h } = bar;
    context.beginPath();
    context.roundRect(x0, y, Math.max(2, x1 - x0), h, 2);
    context.fill();
    this.#bars.push({ ...bar, x1: Math.max(x0 + 4, x1) });
  }

  /** @param {number} t */
  #x(t) {
    return this.#px(this.#scale.x(t));
  }

  /** @param {number} place From 0 to 1. */
  #px(place) {
    return margin + place * (this.#width - 2 * margin);
  }

  /** Resolves the style sheet's colours for the canvas. @returns {Colours} */
  #colours() {
    const colour = (/** @type {string} */ name) => {
      this.#here.style.color = `var(--${name})`;
      return getComputedStyle(this.#here).color;
    };
    return {
      acp: colour("acp"),
      claude: colour("claude"),
      codex: colour("codex"),
      good: colour("good"),
      bad: colour("bad"),
      soft: colour("soft"),
    };
  }

  /** The topmost bar under the pointer. @param {MouseEvent} event */
  #barUnder(event) {
    const { left, top } = this.#canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    return this.#bars.findLast((bar) => x >= bar.x0 - 2 && x <= bar.x1 + 2 && y >= bar.y - 1 && y <= bar.y + bar.h + 1);
  }

  /** @param {MouseEvent} event */
  #nearest(event) {
    const { left, width } = this.#canvas.getBoundingClientRect();
    const place = (event.clientX - left - margin) / (width - 2 * margin);
    const distance = (/** @type {Row} */ { t }) => Math.abs(this.#scale.x(t) - place);
    /** @type {Row | undefined} */
    let nearest;
    for (const row of this.#tape.rows) if (nearest === undefined || distance(row) < distance(nearest)) nearest = row;
    return nearest;
  }

  /** @param {string} [words] */
  #say(words = "\u00a0") {
    this.#hint.textContent = markInvisible(words);
  }
}
