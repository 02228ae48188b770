/**
 * The paths through lib: how many files a prompt, a text delta and a permission request pass.
 *
 * The limits are those of before the engine interface, less one. A step that has to be
 * added goes into a file of the path, or replaces another step.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { readText } from "../support/files.ts";

const root = join(import.meta.dirname, "../..");
const limits = { "a prompt": 28, "a text delta": 20, "a permission request": 32 };

describe("the paths through lib", () => {
  let counts: Readonly<Record<string, number>> = {};

  before(async () => {
    const args = ["--import", "tsx", "spec/tooling/trace-files.ts"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    const rows = [...stdout.matchAll(/^(a .+?) +(\d+) files$/gm)];
    counts = Object.fromEntries(rows.map(([, what = "", count]) => [what, Number(count)]));
  });

  for (const [what, limit] of Object.entries(limits)) {
    it(`${what} passes at most ${limit} files`, () => {
      const count = counts[what] ?? 0;
      assert.ok(count > 10, `${count} files: the count is broken`);
      assert.ok(count <= limit, `${count} files: node --import tsx spec/tooling/trace-files.ts names`);
    });
  }

  it("docs/architecture.md has these limits", () => {
    const sentence = `in at most ${limits["a prompt"]} files of \`lib\`, a text delta in ${limits["a text delta"]}, a permission request in ${limits["a permission request"]}:`;
    assert.ok(readText("docs/architecture.md").includes(sentence));
  });
});
