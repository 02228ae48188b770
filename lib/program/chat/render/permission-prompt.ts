/**
 * Question: what the agent wants to be allowed, and the key for each answer.
 *
 * A number for every option that holds for this call alone; `y` and `n` where only one
 * of them can be meant. An option that changes rights for longer has no key: it is
 * chosen by arrows and Enter, or by a whole word where there are no arrows. Anything
 * else is no answer, and no answer is no.
 */
import type { PermissionOption, PermissionOptionKind, RequestPermissionOutcome } from "../../../acp/index.ts";
import { visibleLine } from "./sanitize.ts";
import { glyphs, type Theme } from "./theme.ts";
import { wrap } from "./text-width.ts";

export interface PermissionAnswer {
  /** None for an option that changes rights for longer than this call. */
  readonly keys: readonly string[];
  /** What is typed for such an option where there are no arrow keys. */
  readonly word: string | undefined;
  readonly option: PermissionOption;
}

export const noAnswer: RequestPermissionOutcome = { outcome: "cancelled" };

/** Shows all of what is asked about. */
export const viewKey = "v";

/** Kinds that hold for one call, and the letter of each. */
const letters: ReadonlyMap<PermissionOptionKind, string> = new Map([
  ["allow_once", "y"],
  ["reject_once", "n"],
]);
/** The tenth option and those after it have letters; without y, a, n and the view's key. */
const numbers = "123456789bcdefghijklmopqrstuwxz";

export function answersTo(options: readonly PermissionOption[]): readonly PermissionAnswer[] {
  return options.map((option, i) => {
    const { kind } = option;
    const isOnlyOne = options.filter((one) => one.kind === kind).length === 1;
    const letter = letters.get(kind);
    if (letter === undefined) {
      const word = kind === "reject_always" ? "never" : "always";
      return { option, keys: [], word: isOnlyOne ? word : `${word} ${i + 1}` };
    }
    const keys = [numbers[i] ?? "", isOnlyOne ? letter : ""].filter((key) => key !== "");
    return { option, keys, word: undefined };
  });
}

/** What a key chooses. */
export function chosen(answers: readonly PermissionAnswer[], key: string): RequestPermissionOutcome | undefined {
  const pressed = key.trim().toLowerCase();
  const answer = answers.find(({ keys }) => keys.includes(pressed));
  return answer && outcomeOf(answer);
}

/** What a typed line chooses. */
export function chosenByLine(answers: readonly PermissionAnswer[], line: string): RequestPermissionOutcome | undefined {
  const answer = answers.find(({ word }) => word !== undefined && word === line.trim().toLowerCase());
  return answer === undefined ? chosen(answers, line) : outcomeOf(answer);
}

export function outcomeOf({ option }: PermissionAnswer): RequestPermissionOutcome {
  return { outcome: "selected", optionId: option.optionId };
}

/** A plain no: this once, for good, or by not answering. */
export function refusal(options: readonly PermissionOption[]): RequestPermissionOutcome {
  const no = options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind === "reject_always");
  return no === undefined ? noAnswer : { outcome: "selected", optionId: no.optionId };
}

/** A plain yes, for where nobody can be asked and nothing is at stake. */
export function approval(options: readonly PermissionOption[]): RequestPermissionOutcome {
  const yes = options.find(({ kind }) => kind === "allow_once");
  return yes === undefined ? noAnswer : { outcome: "selected", optionId: yes.optionId };
}

/** What was answered, for the record. */
export function outcomeLines(
  options: readonly PermissionOption[],
  outcome: RequestPermissionOutcome,
  { paint }: Theme,
): readonly string[] {
  const option =
    outcome.outcome === "selected" ? options.find(({ optionId }) => optionId === outcome.optionId) : undefined;
  const brush = option?.kind.startsWith("allow") === true ? paint.green : paint.red;
  return [`  ${brush(glyphs.answer)} ${paint.dim(option === undefined ? "no answer" : visibleLine(option.name))}`];
}

export interface AnswerLook {
  /** The answer that Enter gives. */
  readonly highlighted?: number | undefined;
  /** Answers are typed as lines. */
  readonly isTyped?: boolean;
}

export function answerLines(
  answers: readonly PermissionAnswer[],
  { paint, columns }: Theme,
  { highlighted, isTyped = false }: AnswerLook = {},
): readonly string[] {
  return answers.flatMap(({ keys, word = "", option }, i) => {
    const [number = " ", letter = " "] = keys;
    const brush = option.kind.startsWith("allow") ? paint.green : paint.red;
    const pointer = i === highlighted ? paint.cyan(glyphs.highlighted) : " ";
    const name = visibleLine(option.name);
    const how = word === "" ? "" : ` (${isTyped ? `type ${word}` : "↑ ↓ and enter"})`;
    const line = `${pointer} ${brush(paint.bold(number))} ${paint.dim(letter)}  ${i === highlighted ? paint.bold(name) : name}${paint.dim(how)}`;
    return wrap(line, columns(), "       ");
  });
}
