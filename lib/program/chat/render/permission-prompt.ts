/**
 * The answers to a permission request and the keys that choose them.
 *
 * An option for this call alone has the key `y` or `n` where it is the only one of its kind,
 * and otherwise a number. An option that changes permissions for longer has no key: the user chooses it
 * by arrows and Enter, or types a whole word where there are no arrow keys. Any other
 * input is no answer, and no answer is a refusal.
 */
import type { PermissionOption, PermissionOptionKind, RequestPermissionOutcome, ToolKind } from "../../../acp/index.ts";
import { visibleLine } from "./sanitize.ts";
import { glyphs, type Theme } from "./theme.ts";
import { wrap } from "./text-width.ts";

export interface PermissionAnswer {
  /** "" for an option that changes permissions for longer than this call. */
  readonly key: string;
  /** The word to type for such an option where there are no arrow keys. */
  readonly word: string | undefined;
  readonly option: PermissionOption;
}

export const noAnswer: RequestPermissionOutcome = { outcome: "cancelled" };

/** The option of an agent that reads a reason with a rejection, in `_meta.reason` or by a form. */
export const reasonOption = "reject_reason";

/** The key that shows the whole tool call. */
export const viewKey = "v";

/** The option kinds for one call alone, and their letters. */
const letters: ReadonlyMap<PermissionOptionKind, string> = new Map([
  ["allow_once", "y"],
  ["reject_once", "n"],
]);
/** Keys of options that have no letter, in their order; from the tenth on letters, without y, a, n and the view's key. */
const numbers = "123456789bcdefghijklmopqrstuwxz";

export function answersTo(options: readonly PermissionOption[]): readonly PermissionAnswer[] {
  let numbered = 0;
  return options.map((option) => {
    const { kind } = option;
    const ofKind = options.filter((one) => one.kind === kind);
    const letter = letters.get(kind);
    if (letter === undefined) {
      const word = kind === "reject_always" ? "never" : "always";
      return { option, key: "", word: ofKind.length === 1 ? word : `${word} ${ofKind.indexOf(option) + 1}` };
    }
    // Every rejection says no, so the first one has the letter; an agent may offer a second with a reason.
    const hasLetter = ofKind.length === 1 || (kind === "reject_once" && ofKind[0] === option);
    return { option, key: hasLetter ? letter : (numbers[numbered++] ?? ""), word: undefined };
  });
}

const askedInWords: Readonly<Record<ToolKind, string>> = {
  read: "Allow reading this?",
  edit: "Allow this edit?",
  delete: "Allow this deletion?",
  move: "Allow this move?",
  search: "Allow this search?",
  execute: "Allow this command?",
  think: "Allow this tool call?",
  fetch: "Allow this request?",
  switch_mode: "Go on with this?",
  other: "Allow this tool call?",
};

/** The question above the answers; undefined where the options are no yes and no, and where a plan's title asks. */
export function questionWords(
  kind: ToolKind,
  options: readonly PermissionOption[],
  title: string | null | undefined,
): string | undefined {
  if (kind === "switch_mode" && title?.endsWith("?") === true) return undefined;
  const isYesOrNo =
    options.filter((one) => one.kind === "allow_once").length === 1 &&
    options.some((one) => one.kind.startsWith("reject"));
  return isYesOrNo ? askedInWords[kind] : undefined;
}

/** The outcome a key chooses. */
export function chosen(answers: readonly PermissionAnswer[], key: string): RequestPermissionOutcome | undefined {
  const pressed = key.trim().toLowerCase();
  const answer = answers.find(({ key: own }) => own !== "" && own === pressed);
  return answer && outcomeOf(answer);
}

/** The outcome a typed line chooses. */
export function chosenByLine(answers: readonly PermissionAnswer[], line: string): RequestPermissionOutcome | undefined {
  const answer = answers.find(({ word }) => word !== undefined && word === line.trim().toLowerCase());
  return answer === undefined ? chosen(answers, line) : outcomeOf(answer);
}

export function outcomeOf({ option }: PermissionAnswer): RequestPermissionOutcome {
  return { outcome: "selected", optionId: option.optionId };
}

/** Refuses: once if offered, else always, else by cancelling. */
export function refusal(options: readonly PermissionOption[]): RequestPermissionOutcome {
  const no = options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind === "reject_always");
  return no === undefined ? noAnswer : { outcome: "selected", optionId: no.optionId };
}

/** Allows once; only for recordings, where nothing is executed. */
export function approval(options: readonly PermissionOption[]): RequestPermissionOutcome {
  const yes = options.find(({ kind }) => kind === "allow_once");
  return yes === undefined ? noAnswer : { outcome: "selected", optionId: yes.optionId };
}

/** Whether this option allows the call. */
export function isAllowing(options: readonly PermissionOption[], optionId: string): boolean {
  return options.find((one) => one.optionId === optionId)?.kind.startsWith("allow") === true;
}

/** The lines that record the answer, with the reason of a rejection. */
export function outcomeLines(
  options: readonly PermissionOption[],
  outcome: RequestPermissionOutcome,
  { paint, columns }: Theme,
  reason?: string,
): readonly string[] {
  const option =
    outcome.outcome === "selected" ? options.find(({ optionId }) => optionId === outcome.optionId) : undefined;
  const colour = option?.kind.startsWith("allow") === true ? paint.green : paint.red;
  const name = option === undefined ? "no answer" : visibleLine(option.name);
  const words = reason === undefined ? name : `${name}: ${visibleLine(reason)}`;
  return wrap(`  ${colour(glyphs.answer)} ${paint.dim(words)}`, columns(), "    ");
}

export interface AnswerLineOptions {
  /** The answer that Enter chooses. */
  readonly highlighted?: number | undefined;
  /** Answers are typed as lines. */
  readonly isTyped?: boolean;
  /** The question in words, above the answers. */
  readonly asked?: string | undefined;
}

export function answerLines(
  answers: readonly PermissionAnswer[],
  { paint, columns }: Theme,
  { highlighted, isTyped = false, asked }: AnswerLineOptions = {},
): readonly string[] {
  const lines = answers.flatMap(({ key, word = "", option }, i) => {
    const colour = option.kind.startsWith("allow") ? paint.green : paint.red;
    const pointer = i === highlighted ? paint.cyan(glyphs.highlighted) : " ";
    const name = visibleLine(option.name);
    const how = word === "" ? "" : ` (${isTyped ? `type ${word}` : "↑ ↓ and enter"})`;
    const line = `${pointer} ${colour(paint.bold(key.padEnd(1)))}  ${i === highlighted ? paint.bold(name) : name}${paint.dim(how)}`;
    return wrap(line, columns(), "     ");
  });
  return asked === undefined ? lines : [...wrap(paint.bold(asked), columns()), ...lines];
}
