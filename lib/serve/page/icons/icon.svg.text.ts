/**
 * The icon of the web page, read from icon.svg.
 *
 * build.mjs replaces this module with the text of the file.
 */
import { readFileSync } from "node:fs";

export default function text(): string {
  return readFileSync(new URL("./icon.svg", import.meta.url), "utf8");
}
