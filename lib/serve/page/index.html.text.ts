/**
 * The web page, read from index.html.
 *
 * build.mjs replaces this module with the text of the file.
 */
import { readFileSync } from "node:fs";

export default function text(): string {
  return readFileSync(new URL("./index.html", import.meta.url), "utf8");
}
