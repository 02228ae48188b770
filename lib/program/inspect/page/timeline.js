/**
 * Axis: the recording on a canvas: turns and tool calls as bars, rows as ticks.
 *
 * A click goes to the bar that is hit, else to the row that is nearest in time.
 */
import { markInvisible } from "../../../serve/page/invisible-characters.js";
import { byId } from "./dom.js";
import { toolBars } from "./time-scale.js";
import { time } from "./format.js";

/** @typedef {import("./model.ts").MessageRow} Row */
/** @typedef {import("./model.ts").Side} Side */
/** @typedef {import("./model.ts").TapeModel} Tape */
/** @typedef {import("./model.ts").TimeScale} TimeScale */
/** @typedef {Readonly<Record<Side | "good" | "bad" | "soft", string>>} Inks */
/** What can be hit, and where it leads. @typedef {{ x0: number, x1: number, y: number, h: number, title: string, go: Row }} Bar */

const font = "10.5px system-ui, sans-serif";
/** Left and right of the recording. */
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
    const pen = this.#canvas.getContext("2d");
    if (pen === null) return;
    const inks = this.#inks();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = font;
    this.#drawTurns(pen, inks);
    this.#drawTools(pen, inks);
    this.#drawTicks(pen, inks);
    this.#drawTimes(pen, inks);
  }

  /** @param {CanvasRenderingContext2D} pen @param {Inks} inks */
  #drawTurns(pen, inks) {
    for (const { turns } of this.#tape.sessions.values()) {
      for (const { first, last: end, rows, n } of turns) {
        const last = end ?? rows.at(-1) ?? first;
        const [x0, x1] = [this.#x(first.t), this.#x(last.t)];
        pen.fillStyle = inks.acp;
        pen.globalAlpha = 0.22;
        const title = `Turn ${n} · ${time(last.t - first.t)} · ${first.say}`;
        this.#drawBar(pen, { x0, x1, y: 5, h: 14, title, go: first });
        pen.globalAlpha = 1;
        if (x1 - x0 > 50) pen.fillText(`Turn ${n}`, x0 + 6, 15.5);
      }
    }
  }

  /** @param {CanvasRenderingContext2D} pen @param {Inks} inks */
  #drawTools(pen, inks) {
    pen.globalAlpha = 0.9;
    for (const { tool, from, to, line } of this.#toolBars) {
      const { title: name, status, row: go } = tool;
      pen.fillStyle = { "": inks.soft, completed: inks.good, failed: inks.bad }[status];
      const title = `${name} · ${time(tool.to - tool.from)}${status === "" ? "" : ` · ${status}`}`;
      this.#drawBar(pen, { x0: this.#px(from), x1: this.#px(to), y: 22 + line * lineHeight, h: 6, title, go });
    }
  }

  /** Every row, those of the editor's side above. @param {CanvasRenderingContext2D} pen @param {Inks} inks */
  #drawTicks(pen, inks) {
    const base = this.#height - 20;
    const drawn = new Set();
    pen.globalAlpha = 0.5;
    for (const { t, side, problems } of this.#tape.rows) {
      const x = Math.round(this.#x(t));
      const key = `${x}${side}${problems ? "!" : ""}`;
      if (drawn.has(key)) continue;
      drawn.add(key);
      pen.fillStyle = problems ? inks.bad : inks[side];
      pen.fillRect(x, side === "acp" ? base - 5 : base, 1, problems ? 10 : 5);
    }
  }

  /** @param {CanvasRenderingContext2D} pen @param {Inks} inks */
  #drawTimes(pen, inks) {
    pen.globalAlpha = 1;
    pen.fillStyle = inks.soft;
    for (let i = 0, last = -99; i <= 8; i++) {
      const t = (this.#tape.end * i) / 8;
      const label = time(t);
      const left = Math.min(this.#width - 12 - pen.measureText(label).width, this.#x(t));
      if (left - last < 56) continue;
      last = left;
      pen.fillText(i === 0 ? "0" : label, left, this.#height - 3);
    }
    for (const t of this.#scale.breaks) pen.fillText("⋯", this.#x(t) + 4, this.#height - 17);
  }

  /** @param {CanvasRenderingContext2D} pen @param {Bar} bar */
  #drawBar(pen, bar) {
    const { x0, x1, y, h } = bar;
    pen.beginPath();
    pen.roundRect(x0, y, Math.max(2, x1 - x0), h, 2);
    pen.fill();
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

  /** The colours of the style sheet as a canvas takes them. @returns {Inks} */
  #inks() {
    const ink = (/** @type {string} */ name) => {
      this.#here.style.color = `var(--${name})`;
      return getComputedStyle(this.#here).color;
    };
    return { acp: ink("acp"), claude: ink("claude"), good: ink("good"), bad: ink("bad"), soft: ink("soft") };
  }

  /** The one on top. @param {MouseEvent} event */
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
