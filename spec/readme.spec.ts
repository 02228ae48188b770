/**
 * README.md: its first commands, links, commands and environment variables are real and
 * complete. docs/: no link leads nowhere.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { rules } from "../lib/program/check/rules.ts";
import { commands } from "../lib/program/index.ts";
import { filesBelow, readText } from "./support/files.ts";

const root = join(import.meta.dirname, "..");
const readme = readText("README.md");

describe("README.md", () => {
  it("README.md begins with npm start and npm test", () => {
    const block = /^```sh\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? "";
    const first = block.split("\n").map((line) => line.replace(/\s*#.*$/, ""));
    assert.deepEqual(first.slice(0, 2), ["npm start", "npm test"]);
  });

  it("README.md stays a landing page of at most 140 lines", () => {
    assert.ok(readme.split("\n").length <= 140);
  });

  it("README.md shows how options reach a command in a clone, the number of rules, and a client for each that is set up", () => {
    assert.match(readme, /`npm run bowline -- serve --demo`/);
    assert.ok(readme.includes(`tries ${rules.length} rules`), `${rules.length} rules`);
    for (const name of ["Zed", "JetBrains", "acpx", "Neovim", "Emacs"]) assert.ok(readme.includes(name), name);
    for (const picture of ["docs/chat.svg", "docs/page-duet.png"]) assert.ok(readme.includes(`](${picture})`), picture);
  });

  it("README.md names every command of the program", () => {
    const section = readme.split("\n## Commands\n")[1]?.split("\n## ")[0] ?? "";
    const rows = [...section.matchAll(/^\| (`bowline[^|]*) \|/gm)].map(([, cell = ""]) => cell);
    const named = rows.flatMap((cell) => [...cell.matchAll(/`(?:bowline ?)?([a-z]*)`/g)].map(([, name = ""]) => name));
    assert.deepEqual(named.filter((name) => name !== "").sort(), commands.map(({ name }) => name).sort());
  });

  it("README.md names every environment variable that a command reads", () => {
    const section = readme.split("\n## Environment variables\n")[1]?.split("\n## ")[0] ?? "";
    const known = new Set(commands.flatMap(({ environment }) => Object.keys(environment ?? {})));
    assert.ok(known.size > 10);
    for (const name of known) assert.ok(section.includes(`\`${name}\``), name);
  });
});

describe("the documentation", () => {
  it("links only to files and headings that exist", () => {
    const pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...filesBelow(["docs"], ".md")];
    const broken = pages.flatMap((page) => {
      const links = [...readText(page).matchAll(/\]\((?!https?:)([^)\s]*)\)/g)].map(([, link = ""]) => link);
      return links.filter((link) => !leadsSomewhere(page, link)).map((link) => `${page}: ${link}`);
    });
    assert.deepEqual(broken, []);
  });
});

function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  if (anchor === undefined) return true;
  const headings = readText(target).matchAll(/^#+ (.+)$/gm);
  return [...headings].some(([, title = ""]) => anchorOf(title) === anchor);
}

/** The anchor that GitHub gives a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
}
