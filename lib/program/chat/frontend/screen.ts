/**
 * Screen: lines for good above, and below them a few that change until they are done.
 *
 * The changing ones are taken away and written anew, each on one row whatever the
 * terminal thinks of its width. The only place that moves the cursor.
 */
import { terminalText } from "../../print.ts";
import { widthOf } from "../render/text-width.ts";

export interface CursorPosition {
  readonly row: number;
  readonly column: number;
}

/** Lines that change until they are done. */
export interface Region {
  readonly lines: readonly string[];
  readonly cursor?: CursorPosition;
}

/** What is written on; a terminal is one. */
export interface ScreenOutput {
  readonly write: (text: string) => unknown;
  readonly rows?: number;
  readonly columns?: number;
}

const fallbackRows = 24;
const hide = "\x1b[?25l";
const show = "\x1b[?25h";
/** A line too wide must not begin another row; and what is drawn together appears together. */
const begin = `\x1b[?2026h${hide}`;
const end = "\x1b[?2026l";
const unwrapped = "\x1b[?7l";
const wrapped = "\x1b[?7h";
/** Emptied line by line: a screen that is emptied at once is kept as history by some terminals. */
const blank = "\x1b[K";
const rest = "\x1b[J";

export class Screen {
  readonly #paper: ScreenOutput;
  #drawn = "";
  #shown: readonly string[] = [];
  #cursorRow = 0;

  constructor(paper: ScreenOutput) {
    this.#paper = paper;
  }

  /** Prints lines for good, and below them those that change. */
  draw(lines: readonly string[], live: readonly string[], cursor?: CursorPosition): void {
    const rows = Math.max(1, (this.#paper.rows || fallbackRows) - 1);
    const left = Math.max(0, live.length - rows);
    const shown = live.slice(left);
    const at = cursor === undefined ? undefined : { row: Math.max(0, cursor.row - left), column: cursor.column };
    const drawn = JSON.stringify([shown, at]);
    if (lines.length === 0 && drawn === this.#drawn) return;
    const last = Math.max(0, shown.length - 1);
    const place = at === undefined ? "" : `${up(last - at.row)}\r${right(at.column)}${show}`;
    const text = lines.map((line) => `${blank}${terminalText(line, true)}${blank}\r\n`).join("");
    const region = shown.map((line) => blank + terminalText(line, true)).join("\r\n");
    this.#paper.write(`${begin}${up(this.#cursorRow)}\r${text}${unwrapped}${region}${rest}${wrapped}${place}${end}`);
    this.#drawn = drawn;
    this.#shown = shown;
    this.#cursorRow = at?.row ?? last;
  }

  /** The terminal has another width: it may have broken the lines drawn so far into more rows. */
  resized(): void {
    this.#drawn = "";
    const columns = this.#paper.columns || Infinity;
    const above = this.#shown.slice(0, this.#cursorRow);
    this.#cursorRow = above.reduce((rows, line) => rows + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
  }

  /** Begins at the top of an empty screen. */
  clear(): void {
    this.#paper.write("\x1b[2J\x1b[H");
    this.#drawn = "";
    this.#cursorRow = 0;
  }

  /** Takes away what changes and leaves the terminal as it was. */
  close(): void {
    const rows = Math.max(1, this.#shown.length);
    this.#paper.write(`${up(this.#cursorRow)}\r${Array(rows).fill(blank).join("\r\n")}${up(rows - 1)}\r${show}`);
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
