/**
 * Decides when a key answers an open permission question and when it edits the draft;
 * permission-prompt.ts says which key means which option.
 *
 * Pure: a state and a key in, a state and an effect out. The question takes keys only after a
 * second without any key. With a text in the draft the user also has to press Tab; an earlier Tab
 * completes a word of the draft. A letter answers only when no other key follows it at once. An
 * answer that changes permissions for longer than this call needs an arrow key and Enter. Keys
 * that are no answer go to the draft, so no typed letter is lost.
 */
import type { RequestPermissionOutcome } from "../../../acp/index.ts";
import type { Key } from "./line-editor.ts";
import { type PermissionAnswer, chosen, outcomeOf, viewKey } from "../render/permission-prompt.ts";

/** How long no key must have been pressed before the question takes keys. */
export const quietMs = 1000;
/** A letter followed by another key within this time is the start of a word. */
export const letterMs = 400;

interface AnswerKeys {
  /** The answer that Enter chooses; undefined until an arrow key was pressed. */
  readonly highlighted: number | undefined;
  /** The first line of the view that is shown; undefined while the view is closed. */
  readonly top: number | undefined;
}

export type QuestionState =
  /** Keys go to the draft. `isHeld`: the user went there by Tab, and only Tab comes back. */
  | { readonly at: "draft"; readonly sinceMs: number; readonly isHeld: boolean }
  /** Keys go to the question. */
  | ({ readonly at: "choices" } & AnswerKeys)
  /** A letter was pressed, perhaps with Enter after it; it counts unless another key follows at once. */
  | ({ readonly at: "letter"; readonly key: Key; readonly sinceMs: number; readonly isEntered: boolean } & AnswerKeys);

export type QuestionEffect =
  | { readonly kind: "none" }
  | { readonly kind: "type"; readonly keys: readonly Key[] }
  | { readonly kind: "answer"; readonly outcome: RequestPermissionOutcome };

export interface QuestionStep {
  readonly state: QuestionState;
  readonly effect: QuestionEffect;
}

export interface QuestionContext {
  readonly nowMs: number;
  readonly isDraftEmpty: boolean;
  readonly answers: readonly PermissionAnswer[];
  readonly refusal: RequestPermissionOutcome;
  /** Lines that one page scrolls by, and the last line a page can begin with; undefined without a view. */
  readonly view: { readonly pageRows: number; readonly lastTop: number } | undefined;
}

export function openedAt(nowMs: number): QuestionState {
  return { at: "draft", sinceMs: nowMs, isHeld: false };
}

/** When `onTimer` has something to do; undefined while only a key can change the state. */
export function dueAtMs(state: QuestionState, isDraftEmpty: boolean): number | undefined {
  switch (state.at) {
    case "draft":
      return isDraftEmpty && !state.isHeld ? state.sinceMs + quietMs : undefined;
    case "letter":
      return state.sinceMs + letterMs;
    case "choices":
      return undefined;
  }
}

/** The step that a timer causes. */
export function onTimer(state: QuestionState, context: QuestionContext): QuestionStep {
  const dueMs = dueAtMs(state, context.isDraftEmpty);
  if (dueMs === undefined || context.nowMs < dueMs || state.at === "choices") return only(state);
  return state.at === "draft" ? only(atChoices) : counted(state, context);
}

/** The step that a key causes. */
export function onKey(state: QuestionState, key: Key, context: QuestionContext): QuestionStep {
  switch (state.at) {
    case "draft":
      return isTab(key) && isMeant(state, context) ? only(atChoices) : typed(context, key, { isHeld: state.isHeld });
    case "letter":
      return afterLetter(state, key, context);
    case "choices":
      return atChoice(state, key, context);
  }
}

const atChoices: QuestionState = { at: "choices", highlighted: undefined, top: undefined };

function atChoice(state: AnswerKeys, key: Key, context: QuestionContext): QuestionStep {
  const { name = "", ctrl, meta, sequence = "" } = key;
  const { answers, view, nowMs } = context;
  if (name === "escape") return answered(state, context.refusal);
  if (isTab(key)) return only({ at: "draft", sinceMs: nowMs, isHeld: true });
  if (name === "paste-start") return typed(context, key);
  if (ctrl === true || meta === true) return only({ ...state, at: "choices" });
  switch (name) {
    case "up":
    case "down":
      return only({ ...state, at: "choices", highlighted: moved(state.highlighted, name, answers.length) });
    case "return":
    case "enter": {
      const answer = state.highlighted === undefined ? undefined : answers[state.highlighted];
      return answer === undefined ? only({ ...state, at: "choices" }) : answered(state, outcomeOf(answer));
    }
    case "pageup":
    case "pagedown":
    case "home":
    case "end":
      return only({ ...state, at: "choices", top: view && scrolled(state.top, name, view) });
  }
  if (!isPrintable(sequence)) return only({ ...state, at: "choices" });
  const isAction = chosen(answers, sequence) !== undefined || (view !== undefined && isViewKey(sequence));
  return isAction ? only({ ...state, at: "letter", key, sinceMs: nowMs, isEntered: false }) : typed(context, key);
}

/**
 * A key after a letter: Backspace takes the letter back, Enter lets it wait once more,
 * any other key makes it the start of a word. Enter does not answer by itself: pasted
 * text may begin with a letter and a line end. Does not check the time, because a busy
 * program may read keys late that were pressed together.
 */
function afterLetter(state: QuestionState & { at: "letter" }, key: Key, context: QuestionContext): QuestionStep {
  const { highlighted, top, isEntered } = state;
  if (key.name === "escape") return answered(state, context.refusal);
  if (key.name === "return") return only({ ...state, sinceMs: context.nowMs, isEntered: true });
  if (key.name === "backspace") return only({ at: "choices", highlighted, top });
  if (isTab(key)) return typed(context, state.key, { isHeld: true });
  // A line end in a draft would send it.
  const keys = isEntered ? [state.key, blank, key] : [state.key, key];
  return { ...typed(context, key), effect: { kind: "type", keys } };
}

/** Acts on a letter that no other key followed. */
function counted(state: QuestionState & { at: "letter" }, { answers, view }: QuestionContext): QuestionStep {
  const { key, highlighted, top } = state;
  const outcome = chosen(answers, key.sequence ?? "");
  if (outcome !== undefined) return answered(state, outcome);
  return only({ at: "choices", highlighted, top: view === undefined || top !== undefined ? undefined : 0 });
}

function only(state: QuestionState): QuestionStep {
  return { state, effect: { kind: "none" } };
}

function typed({ nowMs }: QuestionContext, key: Key, { isHeld } = { isHeld: false }): QuestionStep {
  return { state: { at: "draft", sinceMs: nowMs, isHeld }, effect: { kind: "type", keys: [key] } };
}

function answered({ highlighted, top }: AnswerKeys, outcome: RequestPermissionOutcome): QuestionStep {
  return { state: { at: "choices", highlighted, top }, effect: { kind: "answer", outcome } };
}

function moved(highlighted: number | undefined, way: "up" | "down", count: number): number {
  if (highlighted === undefined) return way === "down" ? 0 : count - 1;
  return (highlighted + (way === "down" ? 1 : count - 1)) % count;
}

function scrolled(
  top: number | undefined,
  way: "pageup" | "pagedown" | "home" | "end",
  { pageRows, lastTop }: NonNullable<QuestionContext["view"]>,
): number {
  if (way === "end") return lastTop;
  if (top === undefined || way === "home") return 0;
  return Math.max(0, Math.min(lastTop, top + (way === "pagedown" ? pageRows : -pageRows)));
}

const blank: Key = { name: "space", sequence: " " };

/** A Tab for the question and not for the draft: after a pause, or as soon as the user has come to an empty draft by Tab. */
function isMeant(
  { sinceMs, isHeld }: QuestionState & { at: "draft" },
  { nowMs, isDraftEmpty }: QuestionContext,
): boolean {
  return nowMs - sinceMs >= quietMs || (isHeld && isDraftEmpty);
}

function isTab({ name, shift, ctrl, meta }: Key): boolean {
  return name === "tab" && shift !== true && ctrl !== true && meta !== true;
}

function isViewKey(sequence: string): boolean {
  return sequence.toLowerCase() === viewKey;
}

function isPrintable(sequence: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return sequence !== "" && !/[\0-\x1f\x7f]/.test(sequence);
}
