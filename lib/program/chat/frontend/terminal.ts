/**
 * The drawn frontend: a conversation in a terminal with an input line at the bottom.
 *
 * Prompts typed while the agent works are queued. The input line stays below an open
 * question too; question-keys.ts decides which keys go to which.
 */
import type { ReadStream, WriteStream } from "node:tty";
import { type Clock, systemClock } from "./clock.ts";
import { continued, type Draft, draftOf, edited, emptyDraft, type Key } from "../input/line-editor.ts";
import type { Frontend, FrontendView } from "./frontend.ts";
import type { PromptHistory } from "../input/prompt-history.ts";
import {
  afterTab,
  inputLines,
  completionLines,
  completionsFor,
  queuedLines,
  type SlashCompletion,
} from "../input/input-view.ts";
import { Keyboard } from "../input/keyboard.ts";
import { glyphs, type Theme } from "../render/theme.ts";
import { OpenQuestion } from "./open-question.ts";
import { noAnswer } from "../render/permission-prompt.ts";
import { OpenList, type Picked } from "./open-list.ts";
import type { RequestPermissionOutcome } from "../../../acp/index.ts";
import { type Region, Screen } from "./screen.ts";
import { duration } from "../render/conversation-renderer.ts";
import { cut } from "../render/text-width.ts";

export interface TerminalFrontendOptions {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly theme: Theme;
  readonly history: PromptHistory;
  /** The program types the prompts itself (demo). */
  readonly isShow?: boolean;
  /** Decides when a question accepts keys. */
  readonly clock?: Clock;
}

const frameMs = 100;
const drawMs = 16;
/** A second Ctrl-C within this time leaves. */
const secondCtrlCMs = 2000;
const secondEscapeMs = 600;
const fallbackRows = 24;

export class TerminalFrontend implements Frontend {
  readonly isAttended = true;
  readonly left: Promise<void>;
  readonly #options: TerminalFrontendOptions;
  readonly #screen: Screen;
  readonly #keyboard: Keyboard;
  readonly #queue: string[] = [];
  #view: FrontendView | undefined;
  #question: OpenQuestion | undefined;
  #list: OpenList | undefined;
  #isFocused = true;
  #escapedAtMs = -Infinity;
  /** The completion that Tab takes; moved by the arrow keys. */
  #completion = 0;
  #withdraw = (): void => {};
  #draft: Draft = emptyDraft;
  #lines: readonly string[] = [];
  #busy: { readonly what: string; readonly sinceMs: number } | undefined;
  #stoppedAtMs = -Infinity;
  #hint = "";
  #frame = 0;
  #spinner: NodeJS.Timeout | undefined;
  #drawing: NodeJS.Timeout | undefined;
  #waiting: ((text: string | undefined) => void) | undefined;
  #resolveLeft = (): void => {};
  #isOpen = false;
  #isGone = false;

  constructor(options: TerminalFrontendOptions) {
    this.#options = options;
    this.#screen = new Screen(options.output);
    this.#keyboard = new Keyboard(options.input, options.output, {
      onKey: (key) => this.#onKey(key),
      onEnd: () => this.leave(),
      onResize: () => {
        this.#screen.resized();
        this.refresh();
      },
      onRestore: () => this.#screen.close(),
      onFocus: (isFocused) => (this.#isFocused = isFocused),
    });
    this.left = new Promise((resolve) => (this.#resolveLeft = resolve));
  }

  readonly open = (view: FrontendView): void => {
    this.#view = view;
    this.#isOpen = true;
    // A terminal that cannot be written to is closed, so the user is gone.
    this.#options.output.on("error", this.leave);
    this.#keyboard.open();
    this.#draw();
  };

  readonly close = (): void => {
    if (!this.#isOpen) return;
    this.#draw();
    this.#isOpen = false;
    clearInterval(this.#spinner);
    clearTimeout(this.#drawing);
    this.#keyboard.close();
  };

  readonly print = (lines: readonly string[]): void => {
    this.#lines = [...this.#lines, ...lines];
    this.refresh();
  };

  /** Node writes to a terminal synchronously on POSIX, so there is nothing to wait for. */
  readonly drained = (): undefined => undefined;

  readonly refresh = (): void => {
    if (!this.#isOpen) return;
    this.#drawing ??= setTimeout(this.#draw, drawMs);
  };

  readonly busy = (what: string | undefined): void => {
    if (what === undefined && this.#busy?.what === "") this.#ring();
    this.#busy = what === undefined ? undefined : { what, sinceMs: Date.now() };
    this.#hint = "";
    clearInterval(this.#spinner);
    if (what !== undefined) {
      this.#spinner = setInterval(() => {
        this.#frame++;
        this.refresh();
      }, frameMs);
    }
    this.refresh();
  };

  readonly next = (): Promise<string | undefined> => {
    const queued = this.#queue.shift();
    this.refresh();
    return new Promise((resolve) => {
      if (queued !== undefined || this.#isGone) resolve(queued);
      else this.#waiting = resolve;
    });
  };

  readonly submit = (line: string): void => {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#queue.push(line);
    else waiting(line);
    this.refresh();
  };

  readonly prefill = (text: string): void => {
    // Only what the user has typed before, and no `!command`: an agent must not put words into the input line.
    const isOwn = !text.startsWith("!") && this.#options.history.entries.includes(text);
    if (isOwn && this.#draft.text === "") this.#draft = draftOf(text);
    this.refresh();
  };

  /** Types a text character by character, and submits it. */
  async type(text: string, everyMs: number): Promise<void> {
    for (const character of text) {
      this.#draft = draftOf(this.#draft.text + character);
      this.refresh();
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    this.#submit();
  }

  readonly choose: Frontend["choose"] = (question, signal) =>
    new Promise((resolve) => {
      const { theme, isShow = false, clock = systemClock } = this.#options;
      const settle = (outcome: RequestPermissionOutcome, instead?: string): void => {
        openQuestion.close();
        // A late withdrawal must not close the question that followed.
        if (this.#question === openQuestion) this.#question = undefined;
        resolve(instead === undefined ? { outcome } : { outcome, instead });
        this.refresh();
      };
      this.#ring();
      const openQuestion = new OpenQuestion(
        {
          question,
          theme,
          clock,
          hasDraft: !isShow,
          isDraftEmpty: () => this.#draft.text === "" && !this.#draft.isPasting && this.#list === undefined,
          rows: () => this.#rows() - this.#inputRows(),
        },
        { onType: (key) => this.#edit(key), onAnswer: settle, onChange: this.refresh },
      );
      this.#question = openQuestion;
      this.#withdraw = () => settle(noAnswer);
      signal.addEventListener("abort", () => settle(noAnswer), { once: true });
      if (this.#isGone) settle(noAnswer);
      this.refresh();
    });

  readonly pick: Frontend["pick"] = (list, signal) =>
    new Promise((resolve) => {
      const { theme, clock = systemClock } = this.#options;
      const settle = (picked: Picked): void => {
        open.close();
        if (this.#list === open) this.#list = undefined;
        // A question that was behind the list is seen only now.
        this.#question?.shown();
        resolve(picked);
        this.refresh();
      };
      const open = new OpenList(
        { list, theme, clock, isDraftEmpty: () => this.#draft.text === "", rows: () => this.#rows() },
        { onType: (key) => this.#edit(key), onPick: settle, onChange: this.refresh },
      );
      this.#list = open;
      if (!list.isOwn) this.#ring();
      this.#withdraw = () => settle({ kind: "cancelled" });
      signal.addEventListener("abort", () => settle({ kind: "cancelled" }), { once: true });
      if (this.#isGone) settle({ kind: "cancelled" });
      this.refresh();
    });

  /** Rings the terminal's bell when the user looks elsewhere. */
  #ring(): void {
    if (!this.#isFocused && this.#isOpen) this.#screen.ring();
  }

  #onKey(key: Key): void {
    this.#hint = "";
    if (key.ctrl === true && key.name === "c") this.#interrupt();
    else if (key.ctrl === true && key.name === "z") this.#keyboard.suspend();
    else if (key.ctrl === true && key.name === "l") this.#screen.clear();
    else if (this.#list !== undefined) this.#list.press(key);
    else if (this.#question !== undefined) this.#question.press(key);
    else this.#edit(key);
    this.refresh();
  }

  #edit(key: Key): void {
    const { name = "", ctrl, shift, meta } = key;
    const { history, isShow } = this.#options;
    if (isShow === true) return;
    if (!this.#draft.isPasting) {
      const isSwitch = (name === "tab" && shift === true) || (meta === true && name === "p");
      // The mode does not change while a permission question is open.
      if (isSwitch && this.#question === undefined) return this.#view?.onSwitch(name === "tab" ? "mode" : "model");
      if (isSwitch) return;
      if (ctrl === true && name === "o") return this.#view?.onUnfold();
      if (ctrl === true && name === "v") return void this.#pasteImage();
      if (ctrl === true && name === "r" && this.#question === undefined) return void this.#searchHistory();
      if (this.#offers().length > 1 && (name === "up" || name === "down")) return this.#moveCompletion(name);
      if (name === "tab") return this.#complete();
      if (ctrl === true && name === "d" && this.#draft.text === "") return this.leave();
      if (name === "escape" && this.#busy !== undefined) return this.#view?.onStop();
      if (name === "escape" && this.#draft.text === "") return this.#escape(key.sequence === "\x1b\x1b");
      if (name === "return" && meta !== true) {
        const longer = continued(this.#draft);
        if (longer === undefined) return this.#submit();
        this.#draft = longer;
        return;
      }
    }
    this.#draft = edited(this.#draft, key, history.entries);
  }

  async #pasteImage(): Promise<void> {
    const pasted = (await this.#view?.onPasteImage()) ?? { problem: "" };
    if ("problem" in pasted) this.#hint = pasted.problem;
    else this.#draft = edited(this.#draft, { sequence: `${pasted.label} ` }, []);
    this.refresh();
  }

  #submit(): void {
    const { text } = this.#draft;
    if (text.trim() === "") return;
    this.#draft = emptyDraft;
    if (this.#question?.refuseWith(text) === true) return;
    if (this.#options.isShow !== true) this.#options.history.add(text);
    this.submit(text);
  }

  #complete(): void {
    const text = afterTab(this.#draft.text, this.#offers(), this.#completion);
    this.#completion = 0;
    if (text !== undefined) this.#draft = draftOf(text, this.#draft);
  }

  /** What completes the draft: slash commands, or files after `@`. */
  #offers(): readonly SlashCompletion[] {
    const commands = completionsFor(this.#draft, this.#view?.words() ?? []);
    return commands.length > 0 ? commands : (this.#view?.files(this.#draft.text) ?? []);
  }

  #moveCompletion(way: "up" | "down"): void {
    const count = this.#offers().length;
    this.#completion = (this.#completion + (way === "down" ? 1 : count - 1)) % count;
  }

  /** The second of two Escapes opens the list of places to go back to. Two that arrive together are one key. */
  #escape(isTwice: boolean): void {
    const now = Date.now();
    const isSecond = isTwice || now - this.#escapedAtMs < secondEscapeMs;
    this.#escapedAtMs = isSecond ? -Infinity : now;
    if (isSecond) this.#view?.onRewind();
  }

  async #searchHistory(): Promise<void> {
    const entries = [...new Set([...this.#options.history.entries].reverse())];
    const items = entries.map((label) => ({ label }));
    const picked = await this.pick(
      { title: "Earlier prompts", items, typing: "filter", isOwn: true },
      new AbortController().signal,
    );
    const text = picked.kind === "items" ? entries[picked.indexes[0] ?? -1] : undefined;
    if (text !== undefined) this.#draft = draftOf(text, this.#draft);
    this.refresh();
  }

  #interrupt(): void {
    const now = Date.now();
    if (this.#busy === undefined) {
      if (this.#draft.text === "") return this.leave();
      this.#draft = emptyDraft;
      return;
    }
    if (now - this.#stoppedAtMs < secondCtrlCMs) return this.leave();
    this.#stoppedAtMs = now;
    this.#queue.length = 0;
    this.#view?.onStop();
    this.#hint = "ctrl-c once more leaves";
  }

  readonly leave = (): void => {
    this.#isGone = true;
    this.#waiting?.(undefined);
    if (this.#question !== undefined || this.#list !== undefined) this.#withdraw();
    this.#resolveLeft();
  };

  readonly #draw = (): void => {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    if (!this.#isOpen) return;
    const lines = this.#lines;
    this.#lines = [];
    const live = this.#live();
    this.#screen.draw(lines, live.lines, live.cursor);
  };

  #live(): Region {
    const { theme, isShow } = this.#options;
    const { paint, columns } = theme;
    const queued = queuedLines(this.#queue, theme);
    const live = this.#view?.live(this.#spinnerFrame(), Date.now()) ?? [];
    if (this.#list !== undefined) {
      const draft = inputLines(this.#draft, theme).lines.map((line) => paint.dim(line));
      return { lines: [...this.#list.lines(), "", ...queued, ...draft] };
    }
    if (this.#question !== undefined) {
      const draft = isShow === true ? undefined : inputLines(this.#draft, theme);
      return this.#question.region({ live, queued, draft }, this.#rows());
    }
    const lines = [...live, ...(this.#busy === undefined ? [] : ["", this.#progress()]), ...queued];
    if (isShow === true && (this.#busy !== undefined || this.#draft.text === "")) return { lines };
    const input = inputLines(this.#draft, theme);
    const offers = completionLines(this.#offers(), theme, this.#completion);
    const status = isShow === true ? "" : (this.#view?.status() ?? "");
    const hint = this.#hint === "" ? status : this.#hint;
    const colour = this.#hint === "" && this.#view?.isRisky() === true ? paint.red : paint.dim;
    const below =
      offers.length > 0 ? offers : hint === "" ? [] : [`  ${colour(cut(hint, columns() - 2, glyphs.more))}`];
    const cursor = { row: lines.length + 1 + input.cursor.row, column: input.cursor.column };
    return { lines: [...lines, "", ...input.lines, ...below], cursor };
  }

  #rows(): number {
    return (this.#options.output.rows || fallbackRows) - 1;
  }

  /** Rows of the input line below a question, with the empty row above it. */
  #inputRows(): number {
    return this.#options.isShow === true ? 0 : 1 + inputLines(this.#draft, this.#options.theme).lines.length;
  }

  #progress(): string {
    const { paint, columns } = this.#options.theme;
    const { what = "", sinceMs = 0 } = this.#busy ?? {};
    const doing = what === "" ? (this.#view?.doing() ?? "") : what;
    const hint = this.#hint === "" ? "esc stops" : this.#hint;
    const time = `${duration(Date.now() - sinceMs)} · ${hint}`;
    // Running calls have a spinner of their own.
    if (doing === "") return paint.dim(`  ${time}`);
    return `${paint.cyan(this.#spinnerFrame())} ${cut(doing, columns() - time.length - 4, glyphs.more)} ${paint.dim(time)}`;
  }

  #spinnerFrame(): string {
    const { frames } = glyphs;
    return frames[this.#frame % frames.length] ?? "";
  }
}
