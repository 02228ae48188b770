/**
 * Which of the user's permission rules concern files.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type FileRules, readFileRules } from "../../lib/editor-tools/file-rules.ts";

const ownRules = ["Write", "Edit", "NotebookEdit"];

function read(behavior: string, rule: string, source = "userSettings"): FileRules {
  return readFileRules([{ behavior, rule, source }], ownRules);
}

describe("readFileRules", () => {
  it("every denying or asking rule for a file tool counts, whatever its pattern is", () => {
    const patterns = [
      "",
      "(src/**)",
      "(app/\\(auth\\)/**)",
      "(n\\.txt)",
      "(n.txt )",
      "(!a)",
      "(content:x*)",
      "(//)",
      "()",
    ];
    for (const tool of ["Edit", "Write", "NotebookEdit", "MultiEdit", "Read", "Glob", "Grep", "LS"]) {
      for (const pattern of patterns) {
        const rule = tool + pattern;
        assert.equal(read("deny", rule).restricting, rule);
        assert.equal(read("ask", rule).restricting, rule);
        assert.equal(read("something new", rule).restricting, rule);
      }
    }
  });

  it("a rule counts unless it plainly names a tool that has nothing to do with files", () => {
    for (const rule of [
      "*",
      "Wri*",
      "W*(a)",
      "mcp__*",
      "mcp__bowline",
      "mcp__bowline__Write",
      "mcp__bowl*",
      "write(a)",
    ]) {
      assert.equal(read("deny", rule).restricting, rule);
    }
    for (const rule of [
      "",
      "Edit (a)",
      " Bash",
      "Bash ",
      "Bash(a",
      "Update(a)",
      "SomethingNew",
      "Edit(a) ",
      "Bash\n",
    ]) {
      assert.equal(read("deny", rule).restricting, rule, JSON.stringify(rule));
    }
    for (const rule of [
      "Bash",
      "Bash(rm *)",
      "Bash(cat Edit(a)\nb)",
      "WebFetch(domain:x)",
      "mcp__x",
      "mcp__x__Write",
    ]) {
      assert.equal(read("deny", rule).restricting, undefined, rule);
    }
  });

  it("rules that allow do not count, and neither do the tools that the CLI was started without", () => {
    assert.equal(read("allow", "Edit(src/**)").restricting, undefined);
    assert.equal(read("deny", "Write", "cliArg").restricting, undefined);
    assert.equal(read("deny", "Edit(src/**)", "cliArg").restricting, "Edit(src/**)");
    assert.equal(read("ask", "Read", "cliArg").restricting, "Read");
  });

  it("only a denying rule without a pattern denies a tool as a whole", () => {
    for (const rule of ["Write", "Wri*", "*", "W*t*"]) assert.equal(read("deny", rule).isDenied("Write"), true, rule);
    for (const rule of ["Edit", "mcp__*", "Write(a)", "Write(*)", "Writ", "rite", "Write|Edit", ".*"]) {
      assert.equal(read("deny", rule).isDenied("Write"), false, rule);
    }
    assert.equal(read("ask", "Write").isDenied("Write"), false);
  });
});
