/**
 * Builds the prompt that asks the second engine of a duet to review the work of the first one.
 */
import type { ToolCallContent } from "../../acp/index.ts";
import { sliceWhole } from "../../schema/index.ts";

/** The most characters of the answer and of all changes that the reviewer gets. */
const maxAnswerChars = 12_000;
const maxDiffChars = 48_000;

type DiffContent = Extract<ToolCallContent, { readonly type: "diff" }>;

export interface ReviewPrompt {
  /** What was asked for and done, in the words of others. */
  readonly preface: string;
  readonly instruction: string;
}

/** What the first engine did in its turn. */
export interface ReviewedWork {
  readonly engine: { readonly name: string };
  readonly answer: string;
  readonly diffs: readonly DiffContent[];
}

export function reviewPrompt(request: string, { engine, answer, diffs }: ReviewedWork): ReviewPrompt {
  const changes = diffs.map(
    ({ path, oldText, newText }) =>
      `${path}\n--- before\n${oldText ?? "(the file did not exist)"}\n+++ after\n${newText}`,
  );
  const shown = cut(changes.join("\n\n"), maxDiffChars);
  const done = [
    `Another coding agent, ${engine.name}, has just worked on this request of the user:`,
    request,
    `Its answer:`,
    cut(answer.trim() || "(it gave no answer)", maxAnswerChars),
    diffs.length === 0
      ? "It reported no changes of files."
      : `The changes it made, which are in the working tree:\n\n${shown}`,
  ];
  return { preface: `${done.join("\n\n")}\n\n`, instruction };
}

const instruction =
  "Review this work for the user. Say what is wrong or missing, the most important first, with file and line. Do not repeat the work and do not change files.";

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars
    ? text
    : `${sliceWhole(text, maxChars)}\n[cut: ${text.length - maxChars} more characters]`;
}
