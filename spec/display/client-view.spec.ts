/**
 * How paths and titles are shown to the user.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { absolutePath, oneLine, shownPath } from "../../lib/display/index.ts";
import { viewOf } from "../support/translate/cli-events.ts";

describe("shownPath, absolutePath and oneLine", () => {
  it("a path keeps its first slash when the directory is the root or not known yet", () => {
    for (const cwd of ["", "/"]) assert.equal(shownPath("/src/app.ts", viewOf({ cwd })), "/src/app.ts");
  });

  it("a path is shown relative below the session's directory and whole elsewhere", () => {
    const view = viewOf({ cwd: "/a/b" });
    assert.deepEqual(
      ["/a/b", "/a/b/c", "/a/bc", "/x"].map((path) => shownPath(path, view)),
      [".", "c", "/a/bc", "/x"],
    );
    assert.equal(shownPath("C:\\p\\a.ts", viewOf({ cwd: "C:\\p" })), "a.ts");
  });

  it("a relative path is made absolute with the separator of its system", () => {
    assert.equal(absolutePath("a/b", viewOf({ cwd: "/p" })), "/p/a/b");
    assert.equal(absolutePath("./b", viewOf({ cwd: "/p/" })), "/p/b");
    assert.equal(absolutePath("a.ts", viewOf({ cwd: "C:\\p" })), "C:\\p\\a.ts");
    assert.equal(absolutePath("\\\\host\\x", viewOf()), "\\\\host\\x");
  });

  it("a truncated title never ends within a character", () => {
    assert.equal(oneLine("a😀bc", 3), "a…");
    assert.equal(oneLine("a😀bc", 4), "a😀…");
    assert.equal(oneLine("a\n\tb  c"), "a b c");
  });
});
