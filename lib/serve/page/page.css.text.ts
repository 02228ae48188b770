/**
 * The style of the web page, read from page.css.
 *
 * build.mjs replaces this module with the text of the file.
 */
import { readFileSync } from "node:fs";

export default function text(): string {
  return readFileSync(new URL("./page.css", import.meta.url), "utf8");
}
