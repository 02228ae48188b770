/**
 * Which writes run without a question.
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
  roots: [{ path: "/p", realPath: "/p" }],
  rules: [],
  target: "file",
  isLink: false,
  planPath: undefined,
};

const kind = (more: Partial<WriteRequest>): string => permitWrite({ ...harmless, ...more }).kind;
const at = (path: string): Partial<WriteRequest> => ({ path, realPath: path });

describe("permitWrite", () => {
  it("lets an ordinary file of the project be written where edits are accepted", () => {
    assert.equal(kind({}), "allow");
    assert.equal(kind({ target: "nothing" }), "allow");
    assert.equal(kind({ mode: "bypassPermissions" }), "allow");
    assert.equal(kind({ ...at("/q/a.ts"), roots: [...harmless.roots, { path: "/q", realPath: "/q" }] }), "allow");
  });

  it("asks in every other mode, known or not", () => {
    for (const mode of ["default", "plan", "auto", "dontAsk", "", "somethingNew"])
      assert.equal(kind({ mode }), "ask", mode);
  });

  it("asks about protected files, files elsewhere and what is no regular file, in every mode", () => {
    for (const mode of ["acceptEdits", "bypassPermissions", "default"]) {
      for (const path of ["/p/.git/hooks/x", "/p/.MCP.json", "/p/.npmrc", "/q/a.ts", "/p", "/home/.bashrc"]) {
        assert.equal(kind({ mode, ...at(path) }), "ask", `${mode} ${path}`);
      }
      assert.equal(kind({ mode, target: "other" }), "ask", mode);
    }
  });

  it("asks about a link, naming where it leads, wherever that is", () => {
    for (const realPath of ["/home/.bashrc", "/p/.git/config", "/p/src/b.ts"]) {
      const permit = permitWrite({ ...harmless, realPath });
      assert.deepEqual(permit.kind === "ask" && permit.why, `This path leads to ${realPath}`);
    }
  });

  it("refuses a path whose last name is a link, in every mode", () => {
    for (const mode of ["acceptEdits", "bypassPermissions", "default", "plan"]) {
      assert.equal(kind({ mode, isLink: true }), "deny", mode);
    }
  });

  it("takes a working directory that is itself reached by a link", () => {
    const roots = [{ path: "/tmp/p", realPath: "/private/tmp/p" }];
    assert.equal(kind({ path: "/tmp/p/a.ts", realPath: "/private/tmp/p/a.ts", cwd: "/tmp/p", roots }), "allow");
  });

  it("denies what a rule denies and asks when the rules are not known", () => {
    const deny = { behavior: "deny", tool: "Edit", pattern: "src/**" } as const;
    for (const mode of ["acceptEdits", "bypassPermissions", "plan", "default"]) {
      assert.equal(kind({ mode, rules: [deny] }), "deny", mode);
      assert.equal(kind({ mode, rules: undefined }), "ask", mode);
    }
  });

  it("lets a rule allow an ordinary file of the project, and nothing more", () => {
    const rules = [{ behavior: "allow", tool: "Edit", pattern: undefined }] as const;
    assert.equal(kind({ mode: "default", rules }), "allow");
    assert.equal(kind({ mode: "default", rules, ...at("/p/.git/config") }), "ask");
    assert.equal(kind({ mode: "default", rules, ...at("/q/x") }), "ask");
  });

  it("lets the plan be written in plan mode alone, and no other file", () => {
    const planPath = "/home/.claude/plans/a.md";
    assert.equal(kind({ mode: "plan", planPath, ...at(planPath) }), "allow");
    assert.equal(kind({ mode: "plan", planPath }), "ask");
    assert.equal(kind({ mode: "default", planPath, ...at(planPath) }), "ask");
  });
});
