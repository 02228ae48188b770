/**
 * Builds the raw output of a file read: the text with numbered lines, and a preview.
 */
import { type Fields, sliceWhole } from "../schema/index.ts";
import { unfenced } from "./content.ts";

export type ReadOutput = {
  /** The lines with their numbers, between `<file>` and `</file>`. */
  readonly output: string;
  readonly metadata: { readonly preview: string; readonly truncated: boolean };
};

const previewLines = 20;
const maxPreviewChars = 2000;

/** `rawInput` has the number of the first line (`offset`) and the number of lines requested (`limit`). */
export function readOutput(text: string, rawInput: Fields): ReadOutput {
  if (text.startsWith("<file>")) return { output: text, metadata: { preview: previewOf(text), truncated: false } };
  const plain = unfenced(text);
  const lines = plain === "" ? [] : plain.split("\n");
  const { offset, limit } = rawInput;
  const first = typeof offset === "number" && offset >= 1 ? Math.floor(offset) : 1;
  const truncated = typeof limit === "number" && limit >= 1 && lines.length >= limit;
  const numbered = lines.map((line, i) => `${String(first + i).padStart(5, "0")}| ${line}\n`).join("");
  const end = truncated ? "" : `\n(End of file - total ${first + lines.length - 1} lines)\n`;
  return { output: `<file>\n${numbered}${end}</file>`, metadata: { preview: previewOf(plain), truncated } };
}

function previewOf(text: string): string {
  return sliceWhole(text, maxPreviewChars).split("\n", previewLines).join("\n");
}
