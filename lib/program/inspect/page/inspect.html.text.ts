/**
 * The body of the inspector's page, read from inspect.html.
 *
 * build.mjs replaces this module with the text of the file.
 */
import { readFileSync } from "node:fs";

export default function text(): string {
  return readFileSync(new URL("./inspect.html", import.meta.url), "utf8");
}
