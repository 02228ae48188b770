/**
 * Which writes are allowed without asking the user.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FileRules } from "../../lib/editor-tools/file-rules.ts";
import { permitWrite, type WriteRequest } from "../../lib/editor-tools/write-permit.ts";

const harmless: WriteRequest = {
  tool: "Edit",
  mode: "acceptEdits",
  path: "/p/src/a.ts",
  realPath: "/p/src/a.ts",
  target: "file",
  isLink: false,
  repository: undefined,
  rules: { isDenied: () => false, restricting: undefined },
  roots: [{ path: "/p", realPath: "/p" }],
  currentCwd: "/p",
  projectCwd: "/p",
  isFromSubagent: false,
  planPath: undefined,
};

const kind = (more: Partial<WriteRequest>): string => permitWrite({ ...harmless, ...more }).kind;
const why = (more: Partial<WriteRequest>): string | undefined => {
  const permit = permitWrite({ ...harmless, ...more });
  return permit.kind === "ask" ? permit.why : undefined;
};
const at = (path: string): Partial<WriteRequest> => ({ path, realPath: path });
const denied = (rule: string): FileRules => ({ isDenied: (tool) => tool === rule, restricting: rule });
const everyMode = ["acceptEdits", "bypassPermissions", "default", "plan", "auto"];

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

  it("the user is asked about every write while a rule concerns files, and the question names the rule", () => {
    const rules = { isDenied: () => false, restricting: "Edit(app/\\(auth\\)/**)" };
    for (const mode of everyMode) {
      assert.equal(why({ mode, rules }), "Your settings have the rule Edit(app/\\(auth\\)/**)", mode);
      assert.equal(why({ mode, rules: undefined }), "The permission rules could not be read", mode);
    }
    const long = why({ rules: { isDenied: () => false, restricting: `Edit(${"x".repeat(9999)}\n\u202e)` } }) ?? "";
    assert.ok(long.length < 200 && !/[\n\u202e]/.test(long), "as one short line");
  });

  it("a rule that denies a tool as a whole, or Read, denies the write in every mode", () => {
    for (const mode of everyMode) {
      for (const rule of ["Edit", "Read"]) {
        assert.equal(kind({ mode, rules: denied(rule) }), "deny", `${mode} ${rule}`);
      }
      assert.equal(kind({ mode, rules: denied("Write") }), "ask", mode);
    }
  });

  it("the user is asked about every write of a subagent, in every mode", () => {
    for (const mode of everyMode) assert.equal(kind({ mode, isFromSubagent: true }), "ask", mode);
  });

  it("the user is asked about protected files, files outside the project and non-regular files, in every mode", () => {
    for (const mode of ["acceptEdits", "bypassPermissions", "default"]) {
      for (const path of ["/p/.git/hooks/x", "/p/.MCP.json", "/p/.npmrc", "/q/a.ts", "/p", "/home/.bashrc"]) {
        assert.equal(kind({ mode, ...at(path) }), "ask", `${mode} ${path}`);
      }
      assert.equal(kind({ mode, target: "other" }), "ask", mode);
    }
  });

  it("the user is asked about a file in another git repository, and told which", () => {
    for (const mode of everyMode) assert.equal(kind({ mode, repository: "/p/sub" }), "ask", mode);
    assert.equal(why({ repository: "/p/sub" }), "This file is in the git repository /p/sub");
  });

  it("the user is asked about a path with a link in it, and told where it leads", () => {
    for (const realPath of ["/home/.bashrc", "/p/.git/config", "/p/src/b.ts"]) {
      assert.equal(why({ realPath }), `This path leads to ${realPath}`);
    }
  });

  it("a path whose last name is a link is denied, in every mode", () => {
    for (const mode of everyMode) assert.equal(kind({ mode, isLink: true }), "deny", mode);
  });

  it("a working directory that is itself a link is accepted as long as it leads where it led", () => {
    const linked = { path: "/tmp/p/a.ts", roots: [{ path: "/tmp/p", realPath: "/private/tmp/p" }] };
    for (const currentCwd of ["/tmp/p", "/private/tmp/p"]) {
      const here = { ...linked, currentCwd, projectCwd: currentCwd };
      assert.equal(kind({ ...here, realPath: "/private/tmp/p/a.ts" }), "allow");
      assert.equal(kind({ ...here, realPath: "/home/a.ts" }), "ask");
    }
  });

  it("the user is asked about files outside the CLI's current directory once it is not the session's", () => {
    assert.equal(kind({ currentCwd: "/p/src" }), "allow");
    assert.equal(kind({ currentCwd: "/p/lib" }), "ask");
    assert.equal(kind({ currentCwd: "/q" }), "ask");
    assert.equal(kind({ projectCwd: undefined }), "ask");
  });

  it("a file of the checkout is denied while the conversation or the subagent is in a worktree", () => {
    const worktree = "/p/.claude/worktrees/w";
    for (const currentCwd of ["/p", worktree]) {
      assert.equal(kind({ projectCwd: worktree, currentCwd }), "deny", currentCwd);
      assert.equal(kind({ projectCwd: worktree, currentCwd, ...at(`${worktree}/a.ts`) }), "ask", currentCwd);
    }
    assert.equal(kind({ isFromSubagent: true, currentCwd: worktree }), "deny");
    assert.equal(kind({ isFromSubagent: true, currentCwd: worktree, ...at(`${worktree}/a.ts`) }), "ask");
  });

  it("the user can accept edits for the session only where that would allow the write", () => {
    const offers = (more: Partial<WriteRequest>): number => {
      const permit = permitWrite({ ...harmless, mode: "default", ...more });
      return permit.kind === "ask" ? permit.suggestions.length : -1;
    };
    assert.equal(offers({}), 1);
    assert.equal(offers({ rules: { isDenied: () => false, restricting: "Read(.env)" } }), 0);
    assert.equal(offers({ isFromSubagent: true }), 0);
    assert.equal(offers(at("/p/.npmrc")), 0);
    assert.equal(offers(at("/q/a.ts")), 0);
    assert.equal(offers({ mode: "plan" }), 0);
  });

  it("in plan mode the plan file is allowed without asking, and no other file", () => {
    const planPath = "/home/.claude/plans/a.md";
    assert.equal(kind({ mode: "plan", planPath, ...at(planPath) }), "allow");
    assert.equal(kind({ mode: "plan", planPath }), "ask");
    assert.equal(kind({ mode: "plan", planPath, ...at("/p/.npmrc") }), "deny");
    assert.equal(kind({ mode: "default", planPath, ...at(planPath) }), "ask");
  });

  it("in plan mode a file that is protected or outside of the project is denied, but for the first version of a plan", () => {
    for (const path of ["/home/.profile", "/home/.mcp.json", "/home/.claude/settings.json", "/elsewhere/a.txt"])
      assert.equal(kind({ mode: "plan", ...at(path), target: "nothing" }), "deny", path);
    const plan = "/home/.claude/plans/new.md";
    assert.equal(kind({ mode: "plan", ...at(plan), target: "nothing" }), "ask");
    assert.equal(kind({ mode: "plan", ...at(plan), target: "file" }), "deny");
    assert.equal(
      kind({ mode: "plan", ...at(plan), target: "nothing", planPath: "/home/.claude/plans/mine.md" }),
      "deny",
    );
  });

  it("in plan mode neither a plan file that is a link nor a file that leads to it is allowed", () => {
    const planPath = "/home/.claude/plans/a.md";
    const rc = "/home/.bashrc";
    assert.equal(kind({ mode: "plan", planPath, path: planPath, realPath: rc, isLink: true }), "deny");
    assert.equal(kind({ mode: "plan", planPath, path: rc, realPath: rc }), "deny");
    assert.equal(kind({ mode: "plan", planPath, path: "/home/l/a.md", realPath: planPath }), "deny");
    assert.equal(kind({ mode: "plan", planPath, ...at(planPath), target: "other" }), "deny");
  });
});
