/**
 * Question: what the agent wants to be allowed, and the key for each answer.
 *
 * A number for every option; `y`, `a` and `n` where only one of them can be meant.
 * Anything else is no answer, and no answer is no.
 */
import type { PermissionOption, PermissionOptionKind, RequestPermissionOutcome } from "../../acp/index.ts";
import { harmlessLine } from "./harmless.ts";
import type { Look } from "./look.ts";
import { glyphs } from "./paint.ts";
import { wrap } from "./width.ts";

export interface Answer {
  readonly keys: readonly string[];
  readonly option: PermissionOption;
}

export const noAnswer: RequestPermissionOutcome = { outcome: "cancelled" };

const letters = { y: "allow_once", a: "allow_always", n: "reject_once" } as const satisfies Record<
  string,
  PermissionOptionKind
>;
/** The tenth option and those after it; without y, a and n. */
const numbers = "123456789bcdefghijklmopqrstuvwxz";

export function answersTo(options: readonly PermissionOption[]): readonly Answer[] {
  return options.map((option, i) => {
    const own = Object.entries(letters).filter(
      ([, kind]) => option.kind === kind && options.filter((one) => one.kind === kind).length === 1,
    );
    return { option, keys: [numbers[i] ?? "", ...own.map(([letter]) => letter)].filter((key) => key !== "") };
  });
}

/** What a key, or a typed line, chooses. */
export function chosen(answers: readonly Answer[], key: string): RequestPermissionOutcome | undefined {
  const word = key.trim().toLowerCase();
  const answer = answers.find(({ keys }) => keys.includes(word));
  return answer && { outcome: "selected", optionId: answer.option.optionId };
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
  { paint }: Look,
): readonly string[] {
  const option =
    outcome.outcome === "selected" ? options.find(({ optionId }) => optionId === outcome.optionId) : undefined;
  const brush = option?.kind.startsWith("allow") === true ? paint.green : paint.red;
  return [`  ${brush(glyphs.answer)} ${paint.dim(option === undefined ? "no answer" : harmlessLine(option.name))}`];
}

export function answerLines(answers: readonly Answer[], { paint, columns }: Look): readonly string[] {
  return answers.flatMap(({ keys, option }) => {
    const [number = "", letter = " "] = keys;
    const brush = option.kind.startsWith("allow") ? paint.green : paint.red;
    const hint = `  ${brush(paint.bold(number))} ${paint.dim(letter)}  `;
    return wrap(`${hint}${harmlessLine(option.name)}`, columns(), "       ");
  });
}
