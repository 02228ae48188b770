/**
 * Formats the difference of two texts for a preview.
 *
 * Made for one edit: everything between the first and the last differing line counts as
 * changed.
 */
import type { TextStyle } from "../ansi.ts";

const contextLines = 3;

export function diffPreview(before: string, after: string, paint: TextStyle): string {
  const [old, now] = [lines(before), lines(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const row = (mark: string) => (line: string) => `${mark} ${line}\n`;
  return [
    ...now.slice(Math.max(0, start - contextLines), start).map(row(" ")),
    ...old.slice(start, old.length - end).map((line) => paint.red(row("-")(line).trimEnd()) + "\n"),
    ...now.slice(start, now.length - end).map((line) => paint.green(row("+")(line).trimEnd()) + "\n"),
    ...now.slice(now.length - end, now.length - end + contextLines).map(row(" ")),
  ].join("");
}

function lines(text: string): readonly string[] {
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}
