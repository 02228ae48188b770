/**
 * The tape of `bowline demo`, read from tape.ndjson.
 *
 * build.mjs replaces this module with the text of the file.
 */
import { readFileSync } from "node:fs";

export default function text(): string {
  return readFileSync(new URL("./tape.ndjson", import.meta.url), "utf8");
}
