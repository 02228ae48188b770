/**
 * The tape of `bowline demo --duet`, read from duet.ndjson.
 *
 * build.mjs replaces this module with the text of the file.
 */
import { readFileSync } from "node:fs";

export default function text(): string {
  return readFileSync(new URL("./duet.ndjson", import.meta.url), "utf8");
}
