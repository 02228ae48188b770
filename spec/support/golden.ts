/**
 * Compares a result with its golden file.
 *
 * `UPDATE_FIXTURES=1` rewrites the file; the diff is then reviewed like code.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const fixtures = join(import.meta.dirname, "../../fixtures");

export function assertGolden(path: string, actual: string): void {
  const file = join(fixtures, path);
  if (process.env["UPDATE_FIXTURES"] === "1") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, actual);
  }
  assert.deepEqual(actual.split("\n"), readFileSync(file, "utf8").split("\n"), `fixtures/${path} has changed`);
}
