/**
 * What the user's hooks mean for files that go through the editor.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hooksObstacle, mayHookTool } from "../../lib/editor-tools/user-hooks.ts";

describe("hooksObstacle", () => {
  it("writes do not go through the editor while a hook has any condition, or hooks are not listed", () => {
    assert.equal(hooksObstacle({ hooks: [{ event: "PreToolUse", matcher: "Write" }] }), undefined);
    for (const condition of ["Write(*.txt)", "Write", 1, {}]) {
      assert.match(hooksObstacle({ hooks: [{ event: "PreToolUse", condition }] }) ?? "", /has a condition/);
    }
    assert.match(hooksObstacle(undefined) ?? "", /does not list its hooks/);
    assert.match(hooksObstacle({ hooks: [], policy: { policyHookCount: 1 } }) ?? "", /of your organisation/);
    const listed = { event: "PreToolUse", source: "policySettings" };
    assert.equal(hooksObstacle({ hooks: [listed], policy: { policyHookCount: 1 } }), undefined);
  });

  it("writes do not go through the editor while a hook may answer permission requests for them", () => {
    for (const matcher of [undefined, "*", "Edit", "Bash|Write", "NotebookEdit", ".*"])
      assert.match(hooksObstacle({ hooks: [{ event: "PermissionRequest", matcher }] }) ?? "", /answers permission/);
    assert.equal(hooksObstacle({ hooks: [{ event: "PermissionRequest", matcher: "Bash" }] }), undefined);
  });
});

describe("mayHookTool", () => {
  it("a hook may be for Read unless its matcher is a list of other names, or its event another one", () => {
    const may = (matcher: unknown, event = "PostToolUse"): boolean =>
      mayHookTool({ hooks: [{ event, matcher }] }, "Read", ["PostToolUse"]);
    for (const matcher of [
      undefined,
      "",
      "*",
      "Read",
      "Bash|Read",
      "R.*",
      "^Read$",
      ".*",
      "Re?ad",
      " Read",
      "Bash|",
      1,
    ]) {
      assert.equal(may(matcher), true, String(matcher));
    }
    for (const matcher of ["Bash", "Edit|Write", "ReadMcpResource", "mcp__x__Read"]) {
      assert.equal(may(matcher), false, matcher);
    }
    assert.equal(may("Read", "PreToolUse"), false);
    assert.equal(mayHookTool(undefined, "Read", ["PostToolUse"]), true, "not listed");
    assert.equal(mayHookTool({ hooks: [], policy: { policyHookCount: 1 } }, "Read", ["PostToolUse"]), true, "hidden");
  });
});
