/**
 * Reads the input of the AskUserQuestion tool.
 */
import type { UserQuestion } from "../../../display/index.ts";
import { boolean, Fault, items, lenient, object, type Schema, type Static, string } from "../../../schema/index.ts";

const choice = object({ label: string, description: lenient(string) });
const asked = object({
  question: string,
  header: lenient(string),
  options: items(choice),
  multiSelect: lenient(boolean),
});
const Asked: Schema<readonly Static<typeof asked>[]> = items(asked);

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
