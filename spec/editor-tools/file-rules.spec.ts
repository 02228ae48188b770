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
  return ruleVerdict(readFileRules(rules), { tool, path, realPath, cwd: "/p", currentCwd: "/p" });
}

describe("ruleVerdict", () => {
  it("a plain pattern denies a file by its given path and by its real path", () => {
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

  it("a restricting rule with an uncertain pattern makes the verdict unsure, unless its names cannot match", () => {
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

  it("deny outweighs ask, and ask outweighs allow", () => {
    const all = ["allow Edit", "ask Edit(src/**)", "deny Edit(src/a.ts)"];
    assert.equal(verdict(all, "/p/src/a.ts"), "deny");
    assert.equal(verdict(all, "/p/src/b.ts"), "ask");
    assert.equal(verdict(all, "/p/b.ts"), "allow");
  });

  it("an allowing rule counts only with a certain pattern that covers both the path and its real path", () => {
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

  it("rules that are not in effect, from the command line or for other tools are ignored", () => {
    const rules = readFileRules([
      { behavior: "deny", rule: "Edit", notInEffect: true },
      { behavior: "deny", rule: "Edit", source: "cliArg" },
      { behavior: "deny", rule: "Bash(rm:*)" },
    ]);
    assert.equal(
      ruleVerdict(rules, { tool: "Edit", path: "/p/a", realPath: "/p/a", cwd: "/p", currentCwd: "/p" }),
      "silent",
    );
  });

  it("lets a rule allow only what it covers from the session's directory and from the current one", () => {
    const at = (rule: ListedRule, path: string, currentCwd: string): RuleVerdict =>
      ruleVerdict(readFileRules([rule]), { tool: "Edit", path, realPath: path, cwd: "/p", currentCwd });
    const allow = { behavior: "allow", rule: "Edit(src/**)", source: "userSettings" };
    assert.equal(at(allow, "/p/src/a", "/p"), "allow");
    assert.equal(at(allow, "/p/src/a", "/p/sub"), "silent");
    assert.equal(at({ ...allow, behavior: "deny" }, "/p/sub/src/a", "/p/sub"), "deny");
    assert.equal(at({ ...allow, rule: "Edit(/src/**)" }, "/p/src/a", "/p"), "silent", "it begins at the settings");
    assert.equal(at({ ...allow, rule: "Edit(/src/**)", source: "projectSettings" }, "/p/src/a", "/p"), "allow");
  });
});
