/**
 * Reads the input of the AskUserQuestion tool for the tool call, the form and the buttons.
 */
import { boolean, Fault, items, lenient, object, type Schema, type Static, string } from "../../../schema/index.ts";

const choice = object({ label: string, description: lenient(string) });
const asked = object({
  question: string,
  header: lenient(string),
  options: items(choice),
  multiSelect: lenient(boolean),
});
const Asked: Schema<readonly Static<typeof asked>[]> = items(asked);

export interface Choice {
  readonly label: string;
  readonly description: string;
}

export interface UserQuestion {
  readonly question: string;
  readonly header: string;
  readonly options: readonly Choice[];
  readonly isMultiSelect: boolean;
}

/** A question and its choices as Markdown. */
export function describeQuestion({ question, options }: UserQuestion): string {
  const choices = options.map(({ label, description }) => `- ${label}${description === "" ? "" : `: ${description}`}`);
  return `**${question}**\n${choices.join("\n")}`;
}

export function readQuestions(input: Readonly<Record<string, unknown>>): readonly UserQuestion[] {
  const read = Asked.read(input["questions"]);
  if (read instanceof Fault) return [];
  return read.map(({ question, header, options, multiSelect }) => ({
    question,
    header: header ?? question,
    options: options.map(({ label, description }) => ({ label, description: description ?? "" })),
    isMultiSelect: multiSelect === true,
  }));
}
