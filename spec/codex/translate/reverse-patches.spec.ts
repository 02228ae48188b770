/**
 * What files were before patches is computed from the patches.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FileChangeItem, FileUpdateChange } from "../../../lib/codex/protocol/index.ts";
import { reversePatches } from "../../../lib/codex/translate/index.ts";

const patch = (...changes: readonly FileUpdateChange[]): FileChangeItem => ({
  type: "fileChange",
  id: "p",
  status: "completed",
  changes,
});
const change = (path: string, type: string, diff: string, move_path?: string): FileUpdateChange => ({
  path,
  kind: { type, ...(move_path !== undefined && { move_path }) },
  diff,
});

/** The files before, for the files now. */
function reversed(now: Readonly<Record<string, string>>, ...patches: readonly FileChangeItem[]): unknown {
  const found = reversePatches(patches, (path) => (Object.hasOwn(now, path) ? now[path] : null));
  return found.kind === "conflict" ? `conflict ${found.path}` : Object.fromEntries(found.files);
}

describe("reversePatches", () => {
  it("patches are undone from the newest to the oldest, also in one file", () => {
    const made = patch(change("/a", "add", "one\ntwo\n"));
    const changed = patch(change("/a", "update", "@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n"));
    const grown = patch(change("/a", "update", "@@ -2 +2,2 @@\n two\n+three\n"));
    const now = { "/a": "ONE\ntwo\nthree\n" };
    assert.deepEqual(reversed(now, changed, grown), { "/a": "one\ntwo\n" });
    assert.deepEqual(reversed(now, made, changed, grown), { "/a": null });
  });

  it("lines are counted as the restoring changes them", () => {
    const one = patch(
      change("/a", "update", "@@ -1,2 +1,3 @@\n-old\n+new\n+more\n same\n"),
      change("/b", "add", "b\n"),
    );
    const found = reversePatches([one], (path) => (path === "/a" ? "new\nmore\nsame\n" : "b\n"));
    assert.deepEqual(found.kind === "reversed" && [found.insertions, found.deletions], [1, 3]);
  });

  it("a deleted file comes back, and a moved file goes back", () => {
    const gone = patch(change("/a", "delete", "text\n"));
    assert.deepEqual(reversed({}, gone), { "/a": "text\n" });
    const moved = patch(change("/a", "update", "@@ -1 +1 @@\n-a\n+b\n\n\nMoved to: /b", "/b"));
    assert.deepEqual(reversed({ "/b": "b\n" }, moved), { "/b": null, "/a": "a\n" });
    const renamed = patch(change("/a", "update", "\n\nMoved to: /b", "/b"));
    assert.deepEqual(reversed({ "/b": "b\n" }, renamed), { "/b": null, "/a": "b\n" });
  });

  it("lines that were moved by changes elsewhere in the file are found if they occur once", () => {
    const one = patch(change("/a", "update", "@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n"));
    assert.deepEqual(reversed({ "/a": "zero\nONE\ntwo\n" }, one), { "/a": "zero\none\ntwo\n" });
    assert.equal(reversed({ "/a": "zero\nONE\ntwo\nONE\ntwo\n" }, one), "conflict /a");
  });

  it("a file without a line end at its end gets it back as it was", () => {
    const one = patch(change("/a", "update", "@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\n"));
    assert.deepEqual(reversed({ "/a": "new\n" }, one), { "/a": "old" });
  });

  it("lines that a patch removed without any line around them come back at their place", () => {
    const one = patch(change("/a", "update", "@@ -1,2 +0,0 @@\n-a\n-b\n"));
    assert.deepEqual(reversed({ "/a": "" }, one), { "/a": "a\nb\n" });
    const middle = patch(change("/a", "update", "@@ -2 +1,0 @@\n-b\n"));
    assert.deepEqual(reversed({ "/a": "a\nc\n" }, middle), { "/a": "a\nb\nc\n" });
  });

  it("a file that is not what the patches made of it is a conflict", () => {
    const made = patch(change("/a", "add", "one\n"));
    const changed = patch(change("/a", "update", "@@ -1 +1 @@\n-one\n+two\n"));
    assert.equal(reversed({ "/a": "mine\n" }, made), "conflict /a");
    assert.equal(reversed({}, made), "conflict /a");
    assert.equal(reversed({ "/a": "mine\n" }, changed), "conflict /a");
    assert.equal(reversed({}, changed), "conflict /a");
    assert.equal(reversed({ "/a": "again\n" }, patch(change("/a", "delete", "text\n"))), "conflict /a");
    const moved = patch(change("/a", "update", "\n\nMoved to: /b", "/b"));
    assert.equal(reversed({ "/b": "b\n", "/a": "mine\n" }, moved), "conflict /b");
    assert.equal(reversed({ "/a": "x\n" }, patch(change("/a", "update", "no hunks"))), "conflict /a");
  });

  it("a file that cannot be read is a conflict", () => {
    const made = patch(change("/a", "add", "one\n"));
    assert.deepEqual(
      reversePatches([made], () => undefined),
      { kind: "conflict", path: "/a" },
    );
  });
});
