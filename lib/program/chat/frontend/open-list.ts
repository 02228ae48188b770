/**
 * A list on the screen from which the user chooses by arrow keys and Enter: a field of a
 * form, a saved conversation, an earlier prompt.
 *
 * A list that the agent opened takes keys only after a second without any key, with an
 * empty message by itself and otherwise by Tab, and highlights nothing by itself: keys that were typed for the
 * message never choose. A list that the user opened takes keys at once. Pasted text is text:
 * a line end in it confirms nothing.
 */
import type { Clock } from "./clock.ts";
import type { Key } from "../input/line-editor.ts";
import { quietMs } from "../input/question-keys.ts";
import { visibleLine } from "../render/sanitize.ts";
import { glyphs, type Theme } from "../render/theme.ts";
import { cut, widthOf, wrap } from "../render/text-width.ts";

export interface PickList {
  readonly title: string;
  readonly items: readonly { readonly label: string; readonly about?: string | undefined }[];
  /** Several items may be chosen. */
  readonly isMulti?: boolean;
  /** What typed text is: an answer in the user's own words, or a filter of the items. */
  readonly typing: "answer" | "filter";
  /** The user opened the list. */
  readonly isOwn: boolean;
}

export type Picked =
  | { readonly kind: "items"; readonly indexes: readonly number[] }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "cancelled" };

export interface OpenListOptions {
  readonly list: PickList;
  readonly theme: Theme;
  readonly clock: Clock;
  readonly isDraftEmpty: () => boolean;
  readonly rows: () => number;
}

export interface OpenListCallbacks {
  /** A key that belongs to the message. */
  readonly onType: (key: Key) => void;
  readonly onPick: (picked: Picked) => void;
  readonly onChange: () => void;
}

/** Rows other than the items: title, text, hints and empty ones. */
const otherRows = 7;
/** Longer names are not padded. */
const maxPaddedColumns = 24;
const maxTextChars = 10_000;

export class OpenList {
  readonly #options: OpenListOptions;
  readonly #callbacks: OpenListCallbacks;
  readonly #ticked = new Set<number>();
  #takesKeys: boolean;
  #lastKeyMs: number;
  /** An index into the items that the filter leaves. */
  #highlighted: number | undefined;
  #text = "";
  #isPasting = false;
  #cancelTimer = (): void => {};

  constructor(options: OpenListOptions, callbacks: OpenListCallbacks) {
    this.#options = options;
    this.#callbacks = callbacks;
    this.#takesKeys = options.list.isOwn;
    this.#highlighted = options.list.isOwn ? 0 : undefined;
    this.#lastKeyMs = options.clock.now();
    this.#schedule();
  }

  close(): void {
    this.#cancelTimer();
  }

  press(key: Key): void {
    const nowMs = this.#options.clock.now();
    // A Tab right after another key completes a word of the message.
    const isMeant = this.#takesKeys || nowMs - this.#lastKeyMs >= quietMs;
    this.#lastKeyMs = nowMs;
    if (key.name === "tab" && !this.#options.list.isOwn && isMeant) this.#takesKeys = !this.#takesKeys;
    else if (this.#takesKeys) this.#choose(key);
    else this.#callbacks.onType(key);
    this.#schedule();
    this.#callbacks.onChange();
  }

  lines(): readonly string[] {
    const { list, theme, rows } = this.#options;
    const { paint, columns } = theme;
    const left = this.#left();
    const page = Math.max(3, rows() - otherRows);
    const at = this.#highlighted ?? 0;
    const from = Math.max(0, Math.min(at - Math.floor(page / 2), left.length - page));
    const widths = list.items.map(({ label }) => widthOf(visibleLine(label)));
    // Short names are padded, so that the descriptions are in one column.
    const column = Math.max(0, ...widths.filter((width) => width <= maxPaddedColumns));
    const items = left.slice(from, from + page).flatMap((index, i) => {
      const { label = "", about } = list.items[index] ?? {};
      const isHighlighted = this.#takesKeys && from + i === this.#highlighted;
      const pointer = isHighlighted ? paint.cyan(glyphs.highlighted) : " ";
      const box = list.isMulti === true ? `${this.#ticked.has(index) ? paint.green(glyphs.done) : glyphs.open} ` : "";
      // What the agent asks about is shown whole.
      const name = list.isOwn ? cut(visibleLine(label), columns() - 6, glyphs.more) : visibleLine(label);
      const padding = " ".repeat(Math.max(0, column - widthOf(name)));
      const note = about == null || about === "" ? "" : `${padding}  ${visibleLine(about)}`;
      const line = `${pointer} ${box}${isHighlighted ? paint.bold(name) : name}${paint.dim(note)}`;
      return list.isOwn ? [wrap(line, columns(), "    ")[0] ?? ""] : wrap(line, columns(), "    ");
    });
    const rest = left.length - from - page;
    return [
      "",
      ...wrap(`${paint.yellow("?")} ${paint.bold(visibleLine(list.title))}`, columns(), "  "),
      ...items,
      ...(rest > 0 ? [paint.dim(`  ${glyphs.more} ${rest} more`)] : []),
      ...(left.length === 0 && list.items.length > 0 ? [paint.dim("  nothing matches")] : []),
      ...(this.#text === "" ? [] : ["", `  ${list.typing === "filter" ? "filter" : "answer"}: ${this.#text}`]),
      "",
      paint.dim(`  ${cut(this.#hints(), columns() - 2, glyphs.more)}`),
    ];
  }

  #hints(): string {
    const { list } = this.#options;
    if (!this.#takesKeys) return "your keys go to the message below · after a pause, tab answers the question";
    const parts = [
      ...(list.items.length === 0 ? [] : ["↑ ↓ choose"]),
      ...(list.isMulti === true ? ["space ticks"] : []),
      list.typing === "filter" ? "type to filter" : "or type your own answer",
      "enter confirms",
      "esc cancels",
    ];
    return parts.join(" · ");
  }

  #choose(key: Key): void {
    const { name = "", ctrl, meta, sequence = "" } = key;
    const { list } = this.#options;
    const left = this.#left();
    if (name === "paste-start" || name === "paste-end") {
      this.#isPasting = name === "paste-start";
      return;
    }
    if (this.#isPasting) return this.#type(sequence.replaceAll(/\s+/g, " "));
    switch (name) {
      case "escape":
        return this.#callbacks.onPick({ kind: "cancelled" });
      case "up":
      case "down":
        if (left.length === 0) return;
        this.#highlighted =
          this.#highlighted === undefined
            ? name === "down"
              ? 0
              : left.length - 1
            : (this.#highlighted + (name === "down" ? 1 : left.length - 1)) % left.length;
        return;
      case "return":
      case "enter":
        return this.#confirm(left);
      case "backspace":
        this.#text = this.#text.slice(0, -1);
        return;
    }
    if (list.isMulti === true && sequence === " " && this.#text === "" && this.#highlighted !== undefined) {
      const index = left[this.#highlighted];
      if (index !== undefined && !this.#ticked.delete(index)) this.#ticked.add(index);
      return;
    }
    if (ctrl !== true && meta !== true) this.#type(sequence);
  }

  #type(text: string): void {
    // oxlint-disable-next-line no-control-regex
    if (text === "" || /[\0-\x1f\x7f]/.test(text) || this.#text.length >= maxTextChars) return;
    this.#text += text;
    const { typing, isOwn } = this.#options.list;
    // Typing alone chooses nothing in a list of the agent.
    if (typing === "filter") this.#highlighted = isOwn ? 0 : undefined;
  }

  #confirm(left: readonly number[]): void {
    const { list } = this.#options;
    const text = this.#text.trim();
    if (list.typing === "answer" && text !== "") return this.#callbacks.onPick({ kind: "text", text });
    const index = this.#highlighted === undefined ? undefined : left[this.#highlighted];
    const indexes =
      this.#ticked.size > 0 ? [...this.#ticked].sort((a, b) => a - b) : index === undefined ? [] : [index];
    if (indexes.length > 0) this.#callbacks.onPick({ kind: "items", indexes });
  }

  /** The indexes of the items that the filter leaves. */
  #left(): readonly number[] {
    const { items, typing } = this.#options.list;
    const wanted = typing === "filter" ? this.#text.toLowerCase() : "";
    return items.flatMap(({ label, about = "" }, i) => (`${label} ${about}`.toLowerCase().includes(wanted) ? [i] : []));
  }

  #schedule(): void {
    this.#cancelTimer();
    const { clock, isDraftEmpty } = this.#options;
    if (this.#takesKeys || !isDraftEmpty()) return;
    const delayMs = Math.max(1, this.#lastKeyMs + quietMs - clock.now());
    this.#cancelTimer = clock.after(delayMs, () => {
      this.#takesKeys = true;
      this.#callbacks.onChange();
    });
  }
}
