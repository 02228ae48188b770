/**
 * Specs of `PlainFiles`: files are read and written where no link is on the way.
 */
import assert from "node:assert/strict";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { PlainFiles } from "../../../../lib/codex/engine/saved/plain-files.ts";

const refused = { kind: "refused" };
let root = "";
const at = (...names: readonly string[]): string => join(root, ...names);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "bowline-plain-")));
  for (const name of ["project", "outside"]) mkdirSync(at(name));
  writeFileSync(at("outside", "file"), "precious");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("PlainFiles", () => {
  it("PlainFiles reads, writes, creates and removes files of the project", () => {
    const files = new PlainFiles(at("project"));
    const path = at("project", "a", "b.txt");
    assert.equal(files.read(path), null);
    files.write(path, "longer text");
    files.write(path, "text");
    assert.equal(files.read(path), "text");
    files.write(path, null);
    assert.equal(existsSync(path), false);
  });

  it("PlainFiles follows no link: not to a file, to nothing, or to a directory on the way, nor a second name of a file", () => {
    symlinkSync(at("outside", "file"), at("project", "file"));
    symlinkSync(at("outside", "new"), at("project", "dangling"));
    symlinkSync(at("outside"), at("project", "directory"));
    linkSync(at("outside", "file"), at("project", "second"));
    const files = new PlainFiles(at("project"));
    const names = ["file", "dangling", "directory/file", "directory/new", "directory/deep/new", "second"];
    for (const path of names.map((name) => at("project", name))) {
      assert.equal(files.read(path), undefined, path);
      assert.throws(() => files.write(path, "evil"), refused, path);
    }
    assert.throws(() => files.write(at("project", "directory/file"), null), refused);
    assert.equal(readFileSync(at("outside", "file"), "utf8"), "precious");
    for (const name of ["new", "deep"]) assert.equal(existsSync(at("outside", name)), false, name);
  });

  it("PlainFiles takes a working directory that is itself behind a link, and no relative path", () => {
    symlinkSync(at("project"), at("short"));
    const files = new PlainFiles(at("short"));
    files.write(at("short", "a.txt"), "text");
    assert.equal(files.read(at("project", "a.txt")), "text");
    assert.equal(new PlainFiles(at("outside")).read(at("short", "a.txt")), undefined);
    assert.equal(files.read("a.txt"), undefined);
  });
});
