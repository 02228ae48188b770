/**
 * Checks that every row of docs/reliability.md, docs/security.md and docs/editor.md
 * names a test that proves it, and that the test exists.
 *
 * A row names a test by file and title: `spec/x.spec.ts`: "it does this". Where a title
 * is a template, any text it can become is its name.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readText } from "./support/files.ts";

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

/** The rows of all tables, without their heads. */
function rowsOf(text: string): readonly Row[] {
  const lines = text.split("\n");
  return lines.flatMap((line, i) => {
    const isHead = /^\|[\s|:-]+\|$/.test(lines[i + 1] ?? "");
    if (!line.startsWith("|") || isHead || /^\|[\s|:-]+\|$/.test(line)) return [];
    const cells = line.slice(1, -1).split("|");
    return [{ line: i + 1, cells: cells.map((cell) => cell.trim()) }];
  });
}

/** The titles of the tests in a file, as patterns. */
function testsOf(file: string): readonly RegExp[] {
  const named = readText(file).matchAll(/\bit\(\s*(["`])((?:\\.|(?!\1)[^])*?)\1/g);
  return [...named].map(([, , words = ""]) => {
    const parts = words.split(/\$\{(?:[^{}]|\{[^}]*\})*\}/);
    return new RegExp(`^${parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join(".+")}$`);
  });
}

const reference = /`(spec\/[^`]+\.ts)`: "([^"]+)"/g;

for (const doc of ["docs/reliability.md", "docs/security.md", "docs/editor.md"]) {
  const text = readText(doc);
  const rows = rowsOf(text);

  describe(doc, () => {
    it(`${doc} has more than 15 rows`, () => {
      assert.ok(rows.length > 15, `${rows.length} rows`);
    });

    it(`${doc} names a test in every row`, () => {
      const bare = rows.filter(({ cells }) => [...(cells.at(-1) ?? "").matchAll(reference)].length === 0);
      assert.deepEqual(
        bare.map(({ line, cells }) => `${doc}:${line} ${cells[0] ?? ""}`),
        [],
      );
    });

    it(`${doc} names only tests that exist`, () => {
      const missing = [...text.matchAll(reference)].flatMap(([, file = "", name = ""]) => {
        if (!existsSync(join(import.meta.dirname, "..", file))) return [`${file} is not there`];
        return testsOf(file).some((pattern) => pattern.test(name)) ? [] : [`${file} has no test "${name}"`];
      });
      assert.deepEqual(missing, []);
    });
  });
}
