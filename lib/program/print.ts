/**
 * Writes all output of the commands to stdout and stderr, except the screen of `bowline
 * chat`, and escapes control characters in it.
 *
 * Parts of the output come from agents, CLIs, tapes and editors. None of it may move the
 * cursor, set the clipboard or title, or reverse the reading direction, so control
 * characters are printed as `\uXXXX`. Only the styles of ansi.ts pass, and only to a
 * terminal. spec/program/terminal-escapes.spec.ts refuses writes that bypass this file.
 */
import { StringDecoder } from "node:string_decoder";
import { escapeControls } from "../wire/index.ts";

/** A stream that may be a terminal, such as stdout and stderr. */
export interface Output {
  readonly write: (text: string | Buffer) => boolean;
  readonly isTTY?: boolean;
}

/** Exactly the escape sequences that ansi.ts produces. */
// oxlint-disable-next-line no-control-regex
const ownStyles = /(\x1b\[(?:[1239]|2[239]|3[1-69])m)/;

/** Prints text for the user; the styles of ansi.ts pass when the output is a terminal. */
export function printText(output: Output, text: string): boolean {
  return output.write(terminalText(text, output.isTTY === true));
}

/** Prints one line; line breaks within the sentence become spaces. */
export function printLine(output: Output, sentence: string): boolean {
  return output.write(`${oneLine(sentence)}\n`);
}

/** Prints JSON; the escapes are JSON escapes, so the value stays the same. */
export function printJson(output: Output, json: string): boolean {
  return output.write(escapeControls(json));
}

/** Overwrites the current line of a terminal; "" clears it. */
export function printProgress(output: Output, text: string): boolean {
  return output.write(`\r\x1b[K${oneLine(text)}`);
}

/** Writes a generated file (an HTML page, a shell script) unchanged. */
export function writeFileText(output: Output, text: string): boolean {
  return output.write(text);
}

/** Forwards another program's bytes: unchanged to a pipe or file, escaped to a terminal. */
export function passOn(output: Output): (chunk: Buffer) => boolean {
  if (output.isTTY !== true) return (chunk) => output.write(chunk);
  const decoder = new StringDecoder("utf8");
  return (chunk) => output.write(escapeControls(decoder.write(chunk).replaceAll("\r\n", "\n")));
}

/** Escapes control characters; `keepsStyles` lets the styles of ansi.ts pass. */
export function terminalText(text: string, keepsStyles: boolean): string {
  if (!keepsStyles || !text.includes("\x1b")) return escapeControls(text);
  // `split` with a capturing group puts the styles at the odd indexes.
  return text
    .split(ownStyles)
    .map((part, i) => (i % 2 === 1 ? part : escapeControls(part)))
    .join("");
}

/** Another program's text on one line, escaped, without styles. */
export function oneLine(text: string): string {
  return escapeControls(text.replaceAll(/\s*[\r\n]+\s*/g, " "));
}
