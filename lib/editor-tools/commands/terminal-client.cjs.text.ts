/**
 * The program that runs a command in the editor's terminal, read from terminal-client.cjs.
 *
 * build.mjs replaces this module with the text of the file.
 */
import { readFileSync } from "node:fs";

export default function text(): string {
  return readFileSync(new URL("./terminal-client.cjs", import.meta.url), "utf8");
}
