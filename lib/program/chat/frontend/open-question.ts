/**
 * One permission question on the screen, from when it is asked until it is answered.
 *
 * Holds the state machine of question-keys.ts, its timer, and the lines that are drawn:
 * the answers, the key hints and, when the user opens it, a scrollable view of the whole
 * tool call.
 */
import type { PermissionOption, RequestPermissionOutcome } from "../../../acp/index.ts";
import type { Clock } from "./clock.ts";
import type { Key } from "../input/line-editor.ts";
import type { Question } from "./frontend.ts";
import type { InputView } from "../input/input-view.ts";
import type { Theme } from "../render/theme.ts";
import { answerLines, answersTo, reasonOption, refusal, viewKey } from "../render/permission-prompt.ts";
import {
  dueAtMs,
  onTimer,
  openedAt,
  onKey,
  type QuestionContext,
  type QuestionState,
  type QuestionStep,
} from "../input/question-keys.ts";
import type { Region } from "./screen.ts";
import { widthOf, wrap } from "../render/text-width.ts";

export interface OpenQuestionOptions {
  readonly question: Question;
  readonly theme: Theme;
  readonly clock: Clock;
  /** Whether the user can type a prompt meanwhile. */
  readonly hasDraft: boolean;
  /** False also while something else takes the keys. */
  readonly isDraftEmpty: () => boolean;
  /** The screen rows available to the question. */
  readonly rows: () => number;
}

/** What is drawn below the question. */
export interface QuestionSurroundings {
  readonly live: readonly string[];
  /** Messages that wait for the end of the turn. */
  readonly queued: readonly string[];
  /** Undefined where the user cannot type. */
  readonly draft: InputView | undefined;
}

export interface OpenQuestionCallbacks {
  /** A key that belongs to the draft. */
  readonly onType: (key: Key) => void;
  readonly onAnswer: (outcome: RequestPermissionOutcome, instead?: string) => void;
  /** The lines changed. */
  readonly onChange: () => void;
}

/** Rows other than the answers: two empty ones and the hints. */
const hintRows = 5;
/** Rows around the view: two rulers and an empty one. */
const rulerRows = 3;
const minViewRows = 3;
const tooSmall = "The window is too small to show the question. Make it larger to answer, or press esc to say no.";

export class OpenQuestion {
  readonly #options: OpenQuestionOptions;
  readonly #callbacks: OpenQuestionCallbacks;
  readonly #answers: QuestionContext["answers"];
  #state: QuestionState;
  #whole: { readonly columns: number; readonly lines: readonly string[] } | undefined;
  #cancelTimer = (): void => {};

  constructor(options: OpenQuestionOptions, callbacks: OpenQuestionCallbacks) {
    this.#options = options;
    this.#callbacks = callbacks;
    this.#answers = answersTo(offered(options));
    this.#state = openedAt(options.clock.now());
    this.#schedule();
  }

  /** Refuses the call, with the message as what to do instead; false when the question does not take that. */
  refuseWith(message: string): boolean {
    const { question } = this.#options;
    if (question.takesInstead !== true || this.#state.at !== "draft" || !this.#state.isHeld) return false;
    this.#callbacks.onAnswer(refusal(question.options), message);
    return true;
  }

  /** The question can be seen from now on, so that no key pressed before was meant for it. */
  shown(): void {
    this.#state = openedAt(this.#options.clock.now());
    this.#schedule();
  }

  /** Whether the next key goes to the question and not to the draft. */
  get takesKeys(): boolean {
    return this.#state.at !== "draft";
  }

  press(key: Key): void {
    this.#step(onKey(this.#state, key, this.#context()));
  }

  /** Cancels the timer, when the question was answered or withdrawn. */
  close(): void {
    this.#cancelTimer();
  }

  /** Lays out the question, the live lines, the queued messages and the draft, in this order. */
  region({ live, queued, draft }: QuestionSurroundings, rows: number): Region {
    const { paint } = this.#options.theme;
    const question = this.#questionLines();
    const inputRows = draft === undefined ? 0 : 1 + draft.lines.length;
    const waiting = queued.length === 0 ? [] : ["", ...queued];
    // When all does not fit, the answers stay: first the live lines go, then the queued messages.
    const fits = (...lines: readonly string[]): boolean => question.length + lines.length + inputRows <= rows;
    const more = fits(...live, ...waiting) ? [...live, ...waiting] : fits(...waiting) ? waiting : [];
    const lines = [...question, ...more];
    if (draft === undefined) return { lines };
    if (this.takesKeys) return { lines: [...lines, "", ...draft.lines.map((line) => paint.dim(line))] };
    const cursor = { row: lines.length + 1 + draft.cursor.row, column: draft.cursor.column };
    return { lines: [...lines, "", ...draft.lines], cursor };
  }

  /** The answers and some lines of the call do not fit on the screen: then the question can only be refused. */
  get #isTooSmall(): boolean {
    const view = this.#state.at !== "draft" && this.#state.top !== undefined ? 0 : minViewRows;
    return this.#layOut().length + view > this.#options.rows();
  }

  #questionLines(): readonly string[] {
    return this.#isTooSmall ? wrap(tooSmall, this.#options.theme.columns()) : this.#layOut();
  }

  #layOut(): readonly string[] {
    const { theme, hasDraft, question } = this.#options;
    const { paint, columns } = theme;
    const highlighted = this.#state.at === "draft" ? undefined : this.#state.highlighted;
    const isHeld = this.#state.at === "draft" && this.#state.isHeld;
    const hints = this.takesKeys ? this.#choiceHints() : draftHints(hasDraft, isHeld && question.takesInstead === true);
    return [
      "",
      ...this.#viewLines(),
      ...answerLines(this.#answers, theme, { highlighted, asked: question.asked }),
      "",
      ...joinedWithin(hints, columns()).map((line) => paint.dim(line)),
    ];
  }

  #choiceHints(): readonly string[] {
    const { hasDraft, question } = this.#options;
    const keys = this.#answers.flatMap(({ key }) => (key === "" ? [] : [key]));
    const view = this.#view();
    const isOpen = this.#state.at !== "draft" && this.#state.top !== undefined;
    return [
      keys.length === 0 ? "choose with ↑ ↓ and enter" : `press ${keys.join(" or ")}, or choose with ↑ ↓ and enter`,
      ...(view === undefined
        ? []
        : [isOpen ? `pgup pgdn scroll, ${viewKey} closes` : `${viewKey} shows all ${this.#lines().length} lines`]),
      "esc says no",
      ...(hasDraft
        ? [question.takesInstead === true ? "tab says no and what to do instead" : "tab goes to your message"]
        : []),
      "ctrl-c stops",
    ];
  }

  #viewLines(): readonly string[] {
    const view = this.#view();
    const top = this.#state.at === "draft" ? undefined : this.#state.top;
    if (view === undefined || top === undefined) return [];
    const { paint } = this.#options.theme;
    const lines = this.#lines();
    const from = Math.min(top, view.lastTop);
    const to = Math.min(lines.length, from + view.pageRows);
    const ruler = (text: string): string => paint.dim(`  ── ${text} ──`);
    return [
      ruler(`lines ${from + 1} to ${to} of ${lines.length}`),
      ...lines.slice(from, to),
      ruler(to === lines.length ? "end" : `${lines.length - to} more below`),
      "",
    ];
  }

  /** Undefined when the whole call is on the screen already. */
  #view(): QuestionContext["view"] {
    const { theme, rows, question } = this.#options;
    const count = this.#lines().length;
    const answerRows = answerLines(this.#answers, theme, { asked: question.asked }).length;
    const free = rows() - answerRows - hintRows;
    if (!question.isCut && count <= free) return undefined;
    const pageRows = Math.max(minViewRows, free - rulerRows);
    return { pageRows, lastTop: Math.max(0, count - pageRows) };
  }

  /** Every line of the tool call, cached per terminal width. */
  #lines(): readonly string[] {
    const columns = this.#options.theme.columns();
    if (this.#whole?.columns !== columns) this.#whole = { columns, lines: this.#options.question.whole() };
    return this.#whole.lines;
  }

  #context(): QuestionContext {
    const { question, clock, isDraftEmpty } = this.#options;
    return {
      nowMs: clock.now(),
      isDraftEmpty: isDraftEmpty(),
      answers: this.#answers,
      refusal: refusal(question.options),
      view: this.#view(),
    };
  }

  #allows(outcome: RequestPermissionOutcome): boolean {
    if (outcome.outcome !== "selected") return false;
    const option = this.#options.question.options.find(({ optionId }) => optionId === outcome.optionId);
    return option?.kind.startsWith("allow") !== false;
  }

  #step({ state, effect }: QuestionStep): void {
    this.#state = state;
    switch (effect.kind) {
      case "type":
        for (const key of effect.keys) this.#callbacks.onType(key);
        break;
      case "answer":
        if (!this.#isTooSmall || !this.#allows(effect.outcome)) return this.#callbacks.onAnswer(effect.outcome);
        this.#state = openedAt(this.#options.clock.now());
        break;
      case "none":
        break;
    }
    this.#schedule();
    this.#callbacks.onChange();
  }

  /** Restarts the timer; called after each key, because the draft may have become empty. */
  #schedule(): void {
    this.#cancelTimer();
    const { clock, isDraftEmpty } = this.#options;
    const dueMs = dueAtMs(this.#state, isDraftEmpty());
    if (dueMs === undefined) return;
    const delayMs = Math.max(1, dueMs - clock.now());
    this.#cancelTimer = clock.after(delayMs, () => this.#step(onTimer(this.#state, this.#context())));
  }
}

/**
 * Tab asks for a reason at once, so the option of an agent that asks for it in a form is left out. Without a draft
 * the user cannot type a reason at all.
 */
function offered({ question, hasDraft }: OpenQuestionOptions): readonly PermissionOption[] {
  const { options, takesInstead } = question;
  const isLeftOut = takesInstead === true || !hasDraft;
  return isLeftOut ? options.filter(({ optionId }) => optionId !== reasonOption) : options;
}

/** Joins parts on as few lines as possible; breaks a part only when it is wider than a line. */
function joinedWithin(parts: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const longer = `${last} · ${part}`;
    if (last !== undefined && widthOf(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(`  ${part}`);
  }
  return lines.flatMap((line) => wrap(line, columns, "  "));
}

function draftHints(hasDraft: boolean, isInstead: boolean): readonly string[] {
  if (isInstead)
    return [
      "say what to do instead: enter refuses and sends it",
      "after a pause, tab answers the question",
      "esc stops the turn",
    ];
  return hasDraft
    ? ["your keys go to the message below", "after a pause, tab answers the question", "esc stops the turn"]
    : ["after a pause, tab answers the question", "ctrl-c stops"];
}
