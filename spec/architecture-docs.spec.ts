/**
 * docs/architecture.md: the files and functions it names exist, its module table is the
 * one that spec/architecture.spec.ts enforces, and its picture shows the real imports.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readText } from "./support/files.ts";
import { allowedImports, moduleImports } from "./support/modules.ts";
import { drawModuleMap, pictureFile, readModuleTable } from "./tooling/module-map.ts";

const page = readText("docs/architecture.md");
const root = join(import.meta.dirname, "..");

/** A row of a trace: its number, one file, the functions of that file, and what happens. */
const traceRow = /^\| \d+ \| `([^`]+)` \| ((?:`[^`]+` ?)+)\|/gm;
/** In running text: a function in a file. */
const functionInFile = /`([\w.#]+)`(?: in | \()`(lib\/[^`]+\.ts)`/g;

describe("docs/architecture.md", () => {
  it("docs/architecture.md names only files and folders that exist", () => {
    const paths = [...page.matchAll(/`((?:lib|bin|spec|docs)\/[^`\s]+)`/g)].map(([, path = ""]) => path);
    assert.ok(paths.length > 100, `${paths.length} paths`);
    assert.deepEqual(
      paths.filter((path) => !existsSync(join(root, path))),
      [],
    );
  });

  it("links only to pages and pictures that exist", () => {
    const links = [...page.matchAll(/\]\(((?!https?:)[^)#]+)/g)].map(([, link = ""]) => link);
    assert.ok(links.length > 3, `${links.length} links`);
    assert.deepEqual(
      links.filter((link) => !existsSync(join(root, "docs", link))),
      [],
    );
  });

  it("docs/architecture.md names only functions that occur in the file beside them", () => {
    const rows = [...page.matchAll(traceRow)].map(([, file = "", names = ""]) => ({ file, names }));
    const inText = [...page.matchAll(functionInFile)].map(([, name = "", file = ""]) => ({
      file,
      names: `\`${name}\``,
    }));
    assert.ok(rows.length > 40, `${rows.length} rows of traces`);
    assert.ok(inText.length > 6, `${inText.length} functions in running text`);
    const missing = [...rows, ...inText].flatMap(({ file, names }) => {
      const text = readText(file);
      const parts = [...names.matchAll(/[\w#]+/g)].map(([part]) => part);
      return parts.filter((part) => !occursIn(text, part)).map((part) => `${file} has no ${part}`);
    });
    assert.deepEqual(missing, []);
  });

  it("docs/architecture.md traces a prompt, a permission request, a cancel and a load", () => {
    for (const title of ["A prompt", "A permission request", "A cancel", "session/load"]) {
      const section = page.split(`\n### ${title}\n`)[1]?.split("\n#")[0] ?? "";
      assert.ok([...section.matchAll(traceRow)].length >= 9, title);
    }
  });

  it("docs/architecture.md has the module table that the architecture spec enforces", () => {
    const rows = readModuleTable(page).map(({ module, mayImport }) => [module, mayImport]);
    assert.deepEqual(Object.fromEntries(rows), allowedImports);
  });

  it("docs/architecture.md lists its terms in alphabetical order, each once", () => {
    const glossary = page.split("\n## Glossary\n")[1] ?? "";
    const rows = [...glossary.matchAll(/^\| ([^|`]+) \| [^|]+ \| `[^`]+` \|$/gm)];
    const terms = rows.map(([, term = ""]) => term.toLowerCase());
    assert.ok(terms.length > 40, `${terms.length} terms`);
    assert.deepEqual(
      terms,
      [...new Set(terms)].sort((left, right) => left.localeCompare(right, "en")),
    );
  });
});

describe(pictureFile, () => {
  it("docs/modules.svg is what npm run docs:modules draws from the imports", () => {
    assert.equal(readText(pictureFile), drawModuleMap());
  });

  it("docs/modules.svg shows every module", () => {
    const shown = [...drawModuleMap().matchAll(/class="name">([^<]+)</g)].map(([, name = ""]) => name);
    assert.deepEqual(shown, [...moduleImports().keys()].sort());
  });
});

/** As a whole word; a private name with its `#`. */
function occursIn(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w])${name}(?!\\w)`).test(text);
}
