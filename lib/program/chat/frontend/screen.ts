/**
 * Draws a terminal screen: final lines scroll up, below them a region that is redrawn.
 *
 * Each line of the region takes exactly one row, whatever width the terminal computes
 * for it. The only module that moves the cursor.
 */
import { terminalText } from "../../print.ts";
import { widthOf } from "../render/text-width.ts";

export interface CursorPosition {
  readonly row: number;
  readonly column: number;
}

/** The lines that are redrawn, and the cursor within them. */
export interface Region {
  readonly lines: readonly string[];
  readonly cursor?: CursorPosition;
}

/** The part of a terminal's WriteStream that is used. */
export interface ScreenOutput {
  readonly write: (text: string) => unknown;
  readonly rows?: number;
  readonly columns?: number;
}

const fallbackRows = 24;
const hide = "\x1b[?25l";
const show = "\x1b[?25h";
/** Synchronized output (mode 2026), so that a redraw does not flicker. */
const begin = `\x1b[?2026h${hide}`;
const end = "\x1b[?2026l";
/** Wrapping off, so that a line that is too wide still takes one row. */
const unwrapped = "\x1b[?7l";
const wrapped = "\x1b[?7h";
/** Cleared line by line: some terminals push a screen that is cleared at once into the scrollback. */
const blank = "\x1b[K";
const rest = "\x1b[J";

export class Screen {
  readonly #output: ScreenOutput;
  #drawn = "";
  #shown: readonly string[] = [];
  #cursorRow = 0;

  constructor(output: ScreenOutput) {
    this.#output = output;
  }

  /** Prints final lines, and redraws the region below them. */
  draw(lines: readonly string[], live: readonly string[], cursor?: CursorPosition): void {
    const rows = Math.max(1, (this.#output.rows || fallbackRows) - 1);
    const left = Math.max(0, live.length - rows);
    const shown = live.slice(left);
    const at = cursor === undefined ? undefined : { row: Math.max(0, cursor.row - left), column: cursor.column };
    const drawn = JSON.stringify([shown, at]);
    if (lines.length === 0 && drawn === this.#drawn) return;
    const last = Math.max(0, shown.length - 1);
    const place = at === undefined ? "" : `${up(last - at.row)}\r${right(at.column)}${show}`;
    const text = lines.map((line) => `${blank}${terminalText(line, true)}${blank}\r\n`).join("");
    const region = shown.map((line) => blank + terminalText(line, true)).join("\r\n");
    this.#output.write(`${begin}${up(this.#cursorRow)}\r${text}${unwrapped}${region}${rest}${wrapped}${place}${end}`);
    this.#drawn = drawn;
    this.#shown = shown;
    this.#cursorRow = at?.row ?? last;
  }

  /** After a resize the terminal may have rewrapped the drawn lines, so the cursor is more rows down. */
  resized(): void {
    this.#drawn = "";
    const columns = this.#output.columns || Infinity;
    const above = this.#shown.slice(0, this.#cursorRow);
    this.#cursorRow = above.reduce((rows, line) => rows + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
  }

  /** Clears the screen and starts at the top. */
  clear(): void {
    this.#output.write("\x1b[2J\x1b[H");
    this.#drawn = "";
    this.#cursorRow = 0;
  }

  /** Rings the terminal's bell. */
  ring(): void {
    this.#output.write("\x07");
  }

  /** Removes the region and shows the cursor. */
  close(): void {
    const rows = Math.max(1, this.#shown.length);
    this.#output.write(`${up(this.#cursorRow)}\r${Array(rows).fill(blank).join("\r\n")}${up(rows - 1)}\r${show}`);
    this.#drawn = "";
    this.#shown = [];
    this.#cursorRow = 0;
  }
}

function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : "";
}

function right(columns: number): string {
  return columns > 0 ? `\x1b[${columns}C` : "";
}
