/**
 * The orphan guard for Windows, read from windows-guard.cjs.
 *
 * build.mjs replaces this module with the text of the file.
 */
import { readFileSync } from "node:fs";

export default function text(): string {
  return readFileSync(new URL("./windows-guard.cjs", import.meta.url), "utf8");
}
