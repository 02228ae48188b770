/**
 * The user's permission rules, applied to writes.
 */
import assert from "node:assert/strict";
import { homedir } from "node:os";
import { describe, it } from "node:test";
import { type ListedRule, readFileRules, type RuleVerdict, ruleVerdict } from "../../lib/editor-tools/file-rules.ts";

function verdict(listed: readonly string[], path: string, realPath = path, tool = "Edit"): RuleVerdict {
  const rules = listed.map((one): ListedRule => {
    const [behavior = "", ...rule] = one.split(" ");
    return { behavior, rule: rule.join(" ") };
  });
  return ruleVerdict(readFileRules(rules), { tool, path, realPath, cwd: "/p" });
}

describe("ruleVerdict", () => {
  it("denies what a plain pattern covers, by the path given and by where it really leads", () => {
    for (const rule of [
      "Edit(.env)",
      "Edit(./.env)",
      "Edit(/.env)",
      "Edit(//p/.env)",
      "Write(.env)",
      "Read(./.env)",
      "Edit",
    ]) {
      assert.equal(verdict([`deny ${rule}`], "/p/.env"), "deny", rule);
    }
    assert.equal(verdict(["deny Edit(secret/**)"], "/p/link/key", "/p/secret/key"), "deny");
    assert.equal(verdict(["deny Edit(//p/secret)"], "/p/secret/deep/key"), "deny");
    assert.equal(verdict([`deny Edit(~/x)`], `${homedir()}/x`), "deny");
    assert.equal(verdict(["deny Edit(.ENV)"], "/p/.env"), "deny", "whatever the case");
  });

  it("is unsure of a restricting rule whose pattern it does not understand, unless its names cannot fit", () => {
    const odd = [
      "Read(./[.]env)",
      "Read(.//.env)",
      "Read(///p/.env)",
      "Read(\\\\.env)",
      "Edit({.env,x})",
      "Edit(!src)",
      "Edit(.en?)",
    ];
    for (const rule of odd) {
      assert.equal(verdict([`deny ${rule}`], "/p/.env"), "unsure", rule);
      assert.equal(verdict([`ask ${rule}`], "/p/.env"), "unsure", rule);
    }
    assert.equal(verdict(["deny Edit(//q/[a]/x.txt)"], "/p/src/a.ts"), "silent");
    assert.equal(verdict(["deny not a rule ("], "/p/src/a.ts"), "unsure");
    assert.equal(verdict(["never Edit(src/**)"], "/p/src/a.ts"), "ask", "a behaviour that is not known");
  });

  it("lets a denial outweigh a question, and a question an allowance", () => {
    const all = ["allow Edit", "ask Edit(src/**)", "deny Edit(src/a.ts)"];
    assert.equal(verdict(all, "/p/src/a.ts"), "deny");
    assert.equal(verdict(all, "/p/src/b.ts"), "ask");
    assert.equal(verdict(all, "/p/b.ts"), "allow");
  });

  it("allows only what it understands, and only where the link and its target are both covered", () => {
    assert.equal(verdict(["allow Edit(src/**)"], "/p/src/a.ts"), "allow");
    assert.equal(verdict(["allow Edit(src/**)"], "/p/src/link", "/p/other"), "silent");
    assert.equal(verdict(["allow Edit(src/[a]*)"], "/p/src/a"), "silent");
    assert.equal(verdict(["allow Read(src/**)"], "/p/src/a"), "silent");
    assert.equal(verdict(["allow Edit(src/**)"], "/p/src/a", "/p/src/a", "Write"), "allow");
    assert.equal(verdict(["allow Edit"], "/p/src/a", "/p/src/a", "Write"), "silent", "as with the CLI");
    assert.equal(verdict(["allow Write(src/**)"], "/p/src/a"), "silent");
    assert.equal(verdict(["allow Write(src/**)"], "/p/src/a", "/p/src/a", "Write"), "silent");
    assert.equal(verdict(["allow Edit(../**)"], "/q/a"), "silent");
  });

  it("ignores rules that are not in effect, those this program passed itself, and those of other tools", () => {
    const rules = readFileRules([
      { behavior: "deny", rule: "Edit", notInEffect: true },
      { behavior: "deny", rule: "Edit", source: "cliArg" },
      { behavior: "deny", rule: "Bash(rm:*)" },
    ]);
    assert.equal(ruleVerdict(rules, { tool: "Edit", path: "/p/a", realPath: "/p/a", cwd: "/p" }), "silent");
  });
});
