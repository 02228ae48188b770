/**
 * How patches look: titles that name the files, exact diffs, locations.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FileUpdateChange } from "../../../../lib/codex/protocol/index.ts";
import { fileChangeView } from "../../../../lib/codex/translate/calls/file-change.ts";
import type { CallView } from "../../../../lib/codex/translate/calls/call-view.ts";
import type { ClientView } from "../../../../lib/display/index.ts";
import { cwd, viewOf } from "../../../support/codex/recording.ts";

describe("fileChangeView", () => {
  it("the title says what happens to which file", () => {
    assert.equal(shown([added("a.md")]).title, "Create a.md");
    assert.equal(shown([edited("src/a.ts")]).title, "Edit src/a.ts");
    assert.equal(shown([deleted("a.md")]).title, "Delete a.md");
    assert.equal(shown([edited("a.ts"), edited("b.ts")]).title, "Edit a.ts and b.ts");
    assert.equal(shown([edited("a.ts"), added("b.ts"), deleted("c.ts")]).title, "Change a.ts, b.ts and c.ts");
    const many = ["a", "b", "c", "d", "e"].map((name) => edited(name));
    assert.equal(shown(many).title, "Edit a, b, c and 2 more");
    const outside = { ...added("x"), path: "/etc/hosts" };
    assert.equal(shown([outside]).title, "Create /etc/hosts");
  });

  it("each hunk is a diff with a location at its first change", () => {
    const diff = "@@ -1,2 +1,3 @@\n one\n+new\n two\n@@ -5,3 +6,2 @@\n five\n-six\n seven\n";
    const { content, locations } = shown([{ ...edited("a.ts"), diff }]);
    assert.deepEqual(content, [
      { type: "diff", path: `${cwd}/a.ts`, oldText: "one\ntwo\n", newText: "one\nnew\ntwo\n" },
      { type: "diff", path: `${cwd}/a.ts`, oldText: "five\nsix\nseven\n", newText: "five\nseven\n" },
    ]);
    assert.deepEqual(locations, [
      { path: `${cwd}/a.ts`, line: 2 },
      { path: `${cwd}/a.ts`, line: 7 },
    ]);
  });

  it("a file without a newline at its end keeps that in the diff", () => {
    const diff = "@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\n\\ No newline at end of file\n";
    const [one] = shown([{ ...edited("a"), diff }]).content ?? [];
    assert.deepEqual(one, { type: "diff", path: `${cwd}/a`, oldText: "old", newText: "new" });
  });

  it("a new file over one that exists shows the text that is lost", () => {
    const view = viewOf({ textOf: () => "before\n" });
    const call = shown([{ ...added("a.md"), diff: "after\n" }], view);
    assert.equal(call.title, "Replace a.md");
    assert.deepEqual(call.content, [{ type: "diff", path: `${cwd}/a.md`, oldText: "before\n", newText: "after\n" }]);
  });

  it("a move without changes has a title and no diff", () => {
    const moved: FileUpdateChange = {
      path: `${cwd}/a.md`,
      kind: { type: "update", move_path: `${cwd}/docs/a.md` },
      diff: `\n\nMoved to: ${cwd}/docs/a.md`,
    };
    const { title, content, kind } = shown([moved]);
    assert.deepEqual([title, content, kind], ["Move a.md to docs/a.md", [], "move"]);
  });

  it("a move among other changes names both of its paths", () => {
    const moved = { ...edited("a.ts"), kind: { type: "update", move_path: `${cwd}/b.ts` } };
    const [first] = shown([moved, added("c.ts")]).content ?? [];
    assert.deepEqual(first, { type: "content", content: { type: "text", text: "Move a.ts to b.ts" } });
  });

  it("the last locations are the files that a patch moves away", () => {
    const moved = { ...edited("a.ts"), kind: { type: "update", move_path: `${cwd}/b.ts` } };
    const places = (...changes: FileUpdateChange[]) => shown(changes).locations?.map(({ path }) => path);
    assert.deepEqual(places(moved), [`${cwd}/b.ts`, `${cwd}/a.ts`]);
    assert.deepEqual(places(moved, added("c.ts")), [`${cwd}/b.ts`, `${cwd}/c.ts`, `${cwd}/a.ts`]);
  });

  it("a patch in an unknown form is shown whole", () => {
    const [one] = shown([{ ...edited("a"), diff: "*** something else\n" }]).content ?? [];
    assert.deepEqual(one, { type: "content", content: { type: "text", text: "```diff\n*** something else\n```" } });
  });
});

function shown(changes: readonly FileUpdateChange[], view: ClientView = viewOf()): CallView {
  return fileChangeView({ type: "fileChange", id: "i", changes, status: "inProgress" }, view);
}

function added(name: string): FileUpdateChange {
  return { path: `${cwd}/${name}`, kind: { type: "add" }, diff: "text\n" };
}

function deleted(name: string): FileUpdateChange {
  return { path: `${cwd}/${name}`, kind: { type: "delete" }, diff: "text\n" };
}

function edited(name: string): FileUpdateChange {
  return { path: `${cwd}/${name}`, kind: { type: "update", move_path: null }, diff: "@@ -1 +1 @@\n-a\n+b\n" };
}
