/**
 * The icons of the web page as an installed app, read from icons.json.
 *
 * build.mjs replaces this module with the text of the file.
 */
import { readFileSync } from "node:fs";

export default function text(): string {
  return readFileSync(new URL("./icons.json", import.meta.url), "utf8");
}
