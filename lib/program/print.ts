/**
 * Prints text of the commands: the only place where lib/program writes to stdout and
 * stderr, apart from the screen of `bowline chat`.
 *
 * Agents, CLIs, tapes and editors choose parts of what is printed. Nothing they say
 * moves the cursor, sets the clipboard or the title, or turns the reading direction
 * round: their control characters are printed as `\uXXXX`. The styles of our own
 * painters pass where the stream is a terminal. spec/program/terminal-escapes.spec.ts
 * refuses a write that goes past this file.
 */
import { StringDecoder } from "node:string_decoder";
import { escapeControls } from "../wire/index.ts";

/** A stream that may be a terminal; stdout and stderr are two. */
export interface Output {
  readonly write: (text: string | Buffer) => boolean;
  readonly isTTY?: boolean;
}

/** What the painters of lib/program write, and nothing else. */
// oxlint-disable-next-line no-control-regex
const ownStyles = /(\x1b\[(?:[123]|2[23]|3[123569])m)/;

/** Lines for people, with the styles of our painters where they are shown. */
export function printText(output: Output, text: string): boolean {
  return output.write(terminalText(text, output.isTTY === true));
}

/** One sentence as one line, whatever is quoted in it. */
export function printLine(output: Output, sentence: string): boolean {
  return output.write(`${oneLine(sentence)}\n`);
}

/** JSON: what is escaped in it is the same value as before. */
export function printJson(output: Output, json: string): boolean {
  return output.write(escapeControls(json));
}

/** Takes the place of the line that was shown before; "" takes that away. */
export function printProgress(output: Output, text: string): boolean {
  return output.write(`\r\x1b[K${oneLine(text)}`);
}

/** A file that a program reads, such as a page or a script. */
export function writeFileText(output: Output, text: string): boolean {
  return output.write(text);
}

/** Passes bytes of another program on: as they are to a program, escaped to a terminal. */
export function passOn(output: Output): (chunk: Buffer) => boolean {
  if (output.isTTY !== true) return (chunk) => output.write(chunk);
  const decoder = new StringDecoder("utf8");
  return (chunk) => output.write(escapeControls(decoder.write(chunk).replaceAll("\r\n", "\n")));
}

/** Text that a terminal only shows; the styles of our painters may stay. */
export function terminalText(text: string, keepsStyles: boolean): string {
  if (!keepsStyles || !text.includes("\x1b")) return escapeControls(text);
  // Every second part is a style.
  return text
    .split(ownStyles)
    .map((part, i) => (i % 2 === 1 ? part : escapeControls(part)))
    .join("");
}

/** Another program's words on one line, without styles. */
export function oneLine(text: string): string {
  return escapeControls(text.replaceAll(/\s*[\r\n]+\s*/g, " "));
}
