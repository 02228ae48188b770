/**
 * Shortens the output of commands to what a client is shown.
 */
import { sliceWhole } from "../schema/index.ts";

/** The most that is shown of a running command where each update repeats what is shown. */
export const maxTailChars = 4096;

/** The end of an output, from the beginning of a line on. */
export function outputTail(output: string): string {
  if (output.length <= maxTailChars) return output;
  const tail = output.slice(-maxTailChars);
  return `…\n${tail.slice(tail.indexOf("\n") + 1)}`;
}

/** The output without its middle when it is longer than both parts together. */
export function withoutMiddle(output: string, headChars: number, tailChars: number): string {
  if (output.length <= headChars + tailChars) return output;
  const head = sliceWhole(output, headChars);
  const from = output.length - tailChars;
  // Do not begin within a surrogate pair.
  const tail = output.slice(/[\uDC00-\uDFFF]/.test(output[from] ?? "") ? from + 1 : from);
  const omitted = output.length - head.length - tail.length;
  return `${head}${head.endsWith("\n") ? "" : "\n"}[${omitted} characters not shown]\n${tail}`;
}
