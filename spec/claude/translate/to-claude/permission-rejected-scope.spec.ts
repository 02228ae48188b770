/**
 * What a rejection for the session concerns, and the rule by which the CLI denies it.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CanUseTool } from "../../../../lib/claude/index.ts";
import { rejectedScope } from "../../../../lib/claude/translate/index.ts";
import { viewOf } from "../../../support/translate/cli-events.ts";

function ruleOf(tool_name: string, input: CanUseTool["input"]): string | undefined {
  return rejectedScope({ subtype: "can_use_tool", tool_name, input }, viewOf())?.rule;
}

describe("rejectedScope", () => {
  it("the rule denies the same command, file, host or tool", () => {
    assert.equal(ruleOf("Bash", { command: "npm run a && touch b" }), "Bash(npm run a && touch b)");
    assert.equal(ruleOf("Write", { file_path: "/p/a b.txt", content: "" }), "Edit(//p/a b.txt)");
    assert.equal(ruleOf("NotebookEdit", { notebook_path: "/p/n.ipynb" }), "Edit(//p/n.ipynb)");
    assert.equal(ruleOf("Read", { file_path: "/p/a" }), "Read(//p/a)");
    assert.equal(ruleOf("WebFetch", { url: "https://example.com/x", prompt: "" }), "WebFetch(domain:example.com)");
    assert.equal(ruleOf("mcp__one__secret", { a: 1 }), "mcp__one__secret");
  });

  it("characters that a rule reads in another way are escaped", () => {
    assert.equal(ruleOf("Bash", { command: "(echo a\\b)" }), "Bash(\\(echo a\\\\b\\))");
    assert.equal(ruleOf("Edit", { file_path: "/p/(app)/[id]/*.ts" }), "Edit(//p/\\(app\\)/\\[id\\]/\\*.ts)");
  });

  it("every spelling of a path is the same file, in the key and in the rule", () => {
    const scopeOf = (file_path: string, cwd: string) =>
      rejectedScope(
        { subtype: "can_use_tool", tool_name: "Write", input: { file_path, content: "" } },
        viewOf({ cwd }),
      );
    const plain = scopeOf("/p/src/a.ts", "/p");
    assert.equal(plain?.rule, "Edit(//p/src/a.ts)");
    for (const path of [
      "src/a.ts",
      "./src/a.ts",
      "/p/./src//a.ts",
      "/p/src/../src/a.ts",
      "../p/src/a.ts",
      "//p/src/a.ts",
    ])
      assert.deepEqual({ ...scopeOf(path, "/p"), what: "" }, { ...plain, what: "" }, path);
    assert.notDeepEqual(scopeOf("a.ts", "/p")?.keys, plain?.keys);
    const windows = scopeOf("C:\\p\\src\\a.ts", "C:\\p")?.keys;
    for (const path of ["src/a.ts", "c:/P/src/../SRC/A.ts", "/c/p/src/a.ts", "\\\\?\\C:\\p\\src\\a.ts"])
      assert.deepEqual(scopeOf(path, "C:\\p")?.keys, windows, path);
  });

  it("a rejection for the session gets no rule if the rule would be a pattern or name another tool", () => {
    for (const command of ["rm *", " ls", "ls ", "a\rb"]) assert.equal(ruleOf("Bash", { command }), undefined);
    for (const file_path of ["C:\\a", "/p/a?", "/p/a\\b", "/p/a\nb", "/p/a "]) {
      assert.equal(ruleOf("Write", { file_path, content: "" }), undefined, file_path);
    }
    assert.equal(ruleOf("odd tool(x)", {}), undefined);
  });
});
