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
  it("gives the model the editor's text in the place of the disk's, in the lines that were asked for", async () => {
    const harness = new FileHarness();
    harness.save(path, "disk\nmore\n");
    harness.buffers.set(path, "unsaved\ntext\nthird\n");
    assert.equal(await harness.read(path), "unsaved\ntext\nthird");
    assert.equal(await harness.read(path, { offset: 2, limit: 1 }), "text");
    const given = await unsavedResult({ offset: 2 }, result("more", { startLine: 2 }), harness);
    const file = { filePath: path, content: "text\nthird", numLines: 2, startLine: 2, totalLines: 3 };
    assert.deepEqual(given, { type: "text", file });
  });

  it("leaves the result as it is where the buffer is as the disk, and remembers that the file was read", async () => {
    const harness = new FileHarness();
    harness.save(path, "\uFEFFdisk\r\n");
    harness.buffers.set(path, "\uFEFFdisk\r\n");
    assert.equal(await unsavedResult({}, result("disk"), harness), undefined);
    assert.equal(harness.knownFiles.get(path)?.text, "\uFEFFdisk\r\n");
  });

  it("leaves the result as it is when the path no longer leads to what the CLI has read", async () => {
    const harness = new FileHarness();
    harness.save(path, "another file\n");
    harness.buffers.set(path, "the other file's unsaved text\n");
    assert.equal(await unsavedResult({}, result("what the CLI was allowed to read"), harness), undefined);
    assert.equal(harness.knownFiles.get(path), undefined, "and the model does not know the file");
  });

  it("shows what changed in the buffer since the last look, where the CLI says that nothing has", async () => {
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

  it("knows a file only in part when only a part was read, and gives no more than the CLI would", async () => {
    const harness = new FileHarness();
    harness.save(path, "x\n".repeat(3000));
    await harness.read(path);
    assert.equal(harness.knownFiles.get(path)?.text, undefined);
    harness.save(path, "short\n");
    harness.buffers.set(path, `${"y".repeat(300_000)}\n`);
    assert.equal(await harness.read(path), "short");
  });

  it("leaves every result alone that is no text of a file", async () => {
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
