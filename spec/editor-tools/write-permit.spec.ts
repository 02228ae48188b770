/**
 * Which writes are allowed without asking the user.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { permitWrite, type WriteRequest } from "../../lib/editor-tools/write-permit.ts";

const harmless: WriteRequest = {
  tool: "Edit",
  mode: "acceptEdits",
  path: "/p/src/a.ts",
  realPath: "/p/src/a.ts",
  cwd: "/p",
  currentCwd: "/p",
  roots: [{ path: "/p", realPath: "/p" }],
  rules: [],
  target: "file",
  isLink: false,
  planPath: undefined,
};

const kind = (more: Partial<WriteRequest>): string => permitWrite({ ...harmless, ...more }).kind;
const at = (path: string): Partial<WriteRequest> => ({ path, realPath: path });

describe("permitWrite", () => {
  it("an ordinary file of the project is allowed in the modes that accept edits", () => {
    assert.equal(kind({}), "allow");
    assert.equal(kind({ target: "nothing" }), "allow");
    assert.equal(kind({ mode: "bypassPermissions" }), "allow");
    assert.equal(kind({ ...at("/q/a.ts"), roots: [...harmless.roots, { path: "/q", realPath: "/q" }] }), "allow");
  });

  it("the user is asked in every other mode, known or unknown", () => {
    for (const mode of ["default", "plan", "auto", "dontAsk", "", "somethingNew"])
      assert.equal(kind({ mode }), "ask", mode);
  });

  it("the user is asked about protected files, files outside the project and non-regular files, in every mode", () => {
    for (const mode of ["acceptEdits", "bypassPermissions", "default"]) {
      for (const path of ["/p/.git/hooks/x", "/p/.MCP.json", "/p/.npmrc", "/q/a.ts", "/p", "/home/.bashrc"]) {
        assert.equal(kind({ mode, ...at(path) }), "ask", `${mode} ${path}`);
      }
      assert.equal(kind({ mode, target: "other" }), "ask", mode);
    }
  });

  it("the user is asked about a path with a link in it, and told where it leads", () => {
    for (const realPath of ["/home/.bashrc", "/p/.git/config", "/p/src/b.ts"]) {
      const permit = permitWrite({ ...harmless, realPath });
      assert.deepEqual(permit.kind === "ask" && permit.why, `This path leads to ${realPath}`);
    }
  });

  it("a path whose last name is a link is denied, in every mode", () => {
    for (const mode of ["acceptEdits", "bypassPermissions", "default", "plan"]) {
      assert.equal(kind({ mode, isLink: true }), "deny", mode);
    }
  });

  it("a working directory that is itself a link is accepted", () => {
    const roots = [{ path: "/tmp/p", realPath: "/private/tmp/p" }];
    assert.equal(kind({ path: "/tmp/p/a.ts", realPath: "/private/tmp/p/a.ts", cwd: "/tmp/p", roots }), "allow");
  });

  it("a write is denied if a rule denies it, and the user is asked if the rules are not known", () => {
    const deny = { behavior: "deny", tool: "Edit", pattern: "src/**" } as const;
    for (const mode of ["acceptEdits", "bypassPermissions", "plan", "default"]) {
      assert.equal(kind({ mode, rules: [deny] }), "deny", mode);
      assert.equal(kind({ mode, rules: undefined }), "ask", mode);
    }
  });

  it("a rule can allow an ordinary file of the project, and no other file", () => {
    const rules = [{ behavior: "allow", tool: "Edit", pattern: undefined }] as const;
    assert.equal(kind({ mode: "default", rules }), "allow");
    assert.equal(kind({ mode: "default", rules, ...at("/p/.git/config") }), "ask");
    assert.equal(kind({ mode: "default", rules, ...at("/q/x") }), "ask");
  });

  it("in plan mode the plan file is allowed without asking, and no other file", () => {
    const planPath = "/home/.claude/plans/a.md";
    assert.equal(kind({ mode: "plan", planPath, ...at(planPath) }), "allow");
    assert.equal(kind({ mode: "plan", planPath }), "ask");
    assert.equal(kind({ mode: "plan", planPath, ...at("/p/.npmrc") }), "deny");
    assert.equal(kind({ mode: "default", planPath, ...at(planPath) }), "ask");
  });
});
