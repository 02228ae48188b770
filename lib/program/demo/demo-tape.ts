/**
 * Tape text: the recorded session that the demo plays.
 *
 * Made by spec/live/record-demo.ts from the real CLI. In the single file the text is
 * part of the program.
 */
import { readFileSync } from "node:fs";

export function tapeText(): string {
  return readFileSync(new URL("./tape.ndjson", import.meta.url), "utf8");
}
