/**
 * Bowline beside codex-acp: the table of docs/engines.md, row by row, each with the real Codex.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { scenarios } from "../codex-peer/scenarios.ts";
import { observe, peerProgram } from "../codex-peer/two-agents.ts";

const page = readFileSync(new URL("../../../docs/engines.md", import.meta.url), "utf8");
const [, section = ""] = page.split("## Beside codex-acp\n");
const rows = new Map(
  [...(section.split("\n## ")[0] ?? "").matchAll(/^\| (.*) \| (.*) \| (.*) \|$/gm)].map(
    ([, what = "", ours = "", theirs = ""]) => [what, { ours, theirs }],
  ),
);
const options = peerProgram() === undefined ? { skip: "codex-acp cannot be installed here" } : {};

describe("Bowline beside codex-acp", () => {
  it("every scenario has its row in docs/engines.md, in the same order", () => {
    assert.deepEqual(
      [...rows.keys()],
      scenarios.map(({ what }) => what),
    );
  });

  for (const scenario of scenarios) {
    const { what } = scenario;
    it(`docs/engines.md compares Bowline with codex-acp correctly: ${what}`, options, async () => {
      const row = rows.get(what);
      assert.equal(await observe("Bowline", scenario), row?.ours, "Bowline");
      assert.equal(await observe("codex-acp", scenario), row?.theirs, "codex-acp");
    });
  }
});
