/**
 * The editor's unsaved text in the result of the CLI's own Read.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostileValues } from "../support/hostile-values.ts";
import { unsavedResult } from "../../lib/editor-tools/unsaved-text.ts";
import { cwd, FileHarness } from "../support/editor-tools/file-harness.ts";

const path = `${cwd}/a.txt`;

function result(content: string, more: object = {}): object {
  const numLines = content.split("\n").length;
  return { type: "text", file: { filePath: path, content, numLines, startLine: 1, totalLines: numLines, ...more } };
}

describe("unsavedResult", () => {
  it("the result of a Read is replaced by the same lines of the editor's unsaved text", async () => {
    const harness = new FileHarness();
    harness.save(path, "disk\nmore\n");
    harness.buffers.set(path, "unsaved\ntext\nthird\n");
    assert.equal(await harness.read(path), "unsaved\ntext\nthird");
    assert.equal(await harness.read(path, { offset: 2, limit: 1 }), "text");
    const given = await unsavedResult({ offset: 2 }, result("more", { startLine: 2 }), harness);
    const file = { filePath: path, content: "text\nthird", numLines: 2, startLine: 2, totalLines: 3 };
    assert.deepEqual(given, { type: "text", file });
  });

  it("the result of a Read is kept when the buffer equals the disk, and the file counts as read", async () => {
    const harness = new FileHarness();
    harness.save(path, "\uFEFFdisk\r\n");
    harness.buffers.set(path, "\uFEFFdisk\r\n");
    assert.equal(await unsavedResult({}, result("disk"), harness), undefined);
    assert.equal(harness.knownFiles.get(path)?.text, "\uFEFFdisk\r\n");
  });

  it("the result of a Read is kept when the file on disk is no longer the one that the CLI read", async () => {
    const harness = new FileHarness();
    harness.save(path, "another file\n");
    harness.buffers.set(path, "the other file's unsaved text\n");
    assert.equal(await unsavedResult({}, result("what the CLI was allowed to read"), harness), undefined);
    assert.equal(harness.knownFiles.get(path), undefined, "and the model does not know the file");
  });

  it("the result of a Read is kept when a hook may have changed it, and unsaved text is then not overwritten", async () => {
    const harness = new FileHarness();
    harness.mayReplace = false;
    harness.save(path, "disk\n");
    harness.buffers.set(path, "unsaved\n");
    assert.equal(await harness.read(path), "disk");
    assert.match(await harness.write(path, "x"), /^failed: File has been modified since read/);
    harness.buffers.set(path, "disk\n");
    assert.equal(await harness.read(path), "disk");
    assert.match(await harness.write(path, "x"), /has been overwritten/);
  });

  it("a buffer that has changed since the last read is shown even if the CLI reports an unchanged file", async () => {
    const harness = new FileHarness();
    const unchanged = { type: "file_unchanged", file: { filePath: path } };
    harness.save(path, "disk\n");
    harness.buffers.set(path, "disk\n");
    await harness.read(path);
    assert.equal(await unsavedResult({}, unchanged, harness), undefined);
    harness.buffers.set(path, "typed\n");
    assert.equal(await harness.replaced(unchanged), "typed");
    assert.equal(await unsavedResult({}, unchanged, harness), undefined, "the model has seen that");
    harness.buffers.set(path, "disk\n");
    assert.equal(await harness.replaced(unchanged), "disk", "the change was taken back");
  });

  it("a file that was read in part is known in part, and a result is never larger than the CLI's limit", async () => {
    const harness = new FileHarness();
    harness.save(path, "x\n".repeat(3000));
    await harness.read(path);
    assert.equal(harness.knownFiles.get(path)?.text, undefined);
    harness.save(path, "short\n");
    harness.buffers.set(path, `${"y".repeat(300_000)}\n`);
    assert.equal(await harness.read(path), "short");
  });

  it("a result that is not the text of a file is kept", async () => {
    const harness = new FileHarness();
    harness.save(path, "disk\n");
    harness.buffers.set(path, "unsaved\n");
    for (const value of hostileValues.values()) {
      for (const response of [value, { type: "text", file: value }, { type: value, file: { filePath: path } }]) {
        assert.equal(await unsavedResult(value, response, harness), undefined);
      }
    }
    assert.equal(await unsavedResult({}, { type: "image", file: { filePath: path } }, harness), undefined);
  });
});
