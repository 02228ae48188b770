/**
 * The table of rules in docs/check.md equals the rules in the code.
 *
 * `UPDATE_FIXTURES=1` rewrites the table.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { checkCommand } from "../../../lib/program/commands/check.ts";
import { sourceUrl } from "../../../lib/program/check/rule.ts";
import { groupOf, inOrder, rules } from "../../../lib/program/check/rules.ts";
import { readText } from "../../support/files.ts";

const page = "docs/check.md";
const marks = /(?<=<!-- rules -->\n)[\s\S]*?(?=<!-- end of rules -->)/;

function table(): string {
  const rows = inOrder(rules).map(({ id, level, says, source }) => {
    return `| \`${id}\` | ${level} | ${says} | [${source}](${sourceUrl(source)}) |\n`;
  });
  return `| rule | | the agent | source |\n|---|---|---|---|\n${rows.join("")}`;
}

describe("docs/check.md", () => {
  it("docs/check.md lists every rule as the code has it", () => {
    if (process.env["UPDATE_FIXTURES"] === "1") {
      const path = fileURLToPath(new URL(`../../../${page}`, import.meta.url));
      writeFileSync(path, readText(page).replace(marks, table()));
    }
    assert.deepEqual(marks.exec(readText(page))?.[0].split("\n"), table().split("\n"));
  });

  it("docs/check.md lists every option", () => {
    for (const [flag, { value = "" }] of Object.entries(checkCommand.options)) {
      assert.ok(readText(page).includes(`| \`${`${flag} ${value}`.trim()}\` |`), flag);
    }
  });
});

describe("rules", () => {
  it("every rule has a unique id in a known group, one sentence and a source", () => {
    assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length);
    assert.equal(inOrder(rules).length, rules.length);
    for (const { id, says, source } of rules) {
      assert.match(id, /^[a-z]+\/[a-z-]+$/);
      assert.match(says, /^[a-z](?:[^.]|\.\d){10,90}$/, id);
      assert.match(
        sourceUrl(source),
        /^https:\/\/(?:agentclientprotocol\.com|www\.jsonrpc\.org)\/[\w/-]+(?:#[\w-]+)?$/,
      );
      assert.ok(groupOf(id).length > 2);
    }
    assert.ok(rules.length >= 30);
  });
});
