/**
 * Writes through the editor.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cwd, FileHarness } from "../support/editor-tools/file-harness.ts";

const path = `${cwd}/a.txt`;
const unread = "failed: File has not been read yet. Read it first before writing to it.";
const changed = /^failed: File has been modified since read/;

describe("WriteTools", () => {
  it("a new file is written once", async () => {
    const harness = new FileHarness();
    assert.equal(await harness.write(path, "a\n"), `File created successfully at: ${path}`);
    assert.equal(await harness.edit(`${cwd}/b.txt`, "", "b\n"), `File created successfully at: ${cwd}/b.txt`);
    assert.deepEqual(harness.writes, [
      [path, "a\n"],
      [`${cwd}/b.txt`, "b\n"],
    ]);
  });

  it("a file that was not read is not written, and a written file can be edited again", async () => {
    const harness = new FileHarness();
    harness.save(path, "a\n");
    assert.equal(await harness.write(path, "b\n"), unread);
    assert.equal(await harness.edit(path, "a", "b"), unread);
    assert.equal(await harness.edit(path, "", "b"), "failed: Cannot create new file - file already exists.");
    await harness.read(path);
    assert.match(await harness.edit(path, "a", "b"), /has been updated.*\n1\tb/);
    assert.match(await harness.edit(path, "b", "c"), /has been updated/);
    assert.match(await harness.write(path, "d\n"), /has been overwritten/);
    assert.deepEqual(
      harness.writes.map(([, text]) => text),
      ["b\n", "c\n", "d\n"],
    );
  });

  it("a file that the user or a command has changed since it was read is not written", async () => {
    const harness = new FileHarness();
    harness.save(path, "a\n");
    harness.buffers.set(path, "a\n");
    await harness.read(path);
    harness.buffers.set(path, "typed a\n");
    assert.match(await harness.edit(path, "a", "b"), changed);
    await harness.read(path);
    harness.save(path, "by a command\n");
    assert.match(await harness.edit(path, "a", "b"), changed, "the editor has not noticed the change yet");
    assert.match(await harness.write(path, "b"), changed);
    assert.deepEqual(harness.writes, []);
  });

  it("a read waits for an editor that has not noticed a change on disk, and then returns the text on disk", async () => {
    const harness = new FileHarness();
    harness.save(path, "a\n");
    harness.buffers.set(path, "a\n");
    await harness.read(path);
    harness.save(path, "newer\n");
    let waits = 0;
    harness.onWait = () => void (++waits === 2 && harness.buffers.set(path, "newer\n"));
    assert.equal(await harness.read(path), "newer");
    assert.equal(waits, 2);
    harness.save(path, "newest\n");
    harness.onWait = () => {};
    assert.equal(await harness.read(path), "newest");
    assert.match(await harness.edit(path, "newest", "x"), changed, "the buffer still has the old text");
  });

  it("an edit of unsaved text changes the buffer and leaves the file on disk as it is", async () => {
    const harness = new FileHarness();
    harness.save(path, "a\n");
    harness.buffers.set(path, "unsaved\n");
    assert.equal(await harness.read(path), "unsaved");
    assert.match(await harness.edit(path, "unsaved", "kept"), /has been updated/);
    assert.equal(harness.buffers.get(path), "kept\n");
    assert.equal(harness.saved(path), "a\n", "the user saves the file");
  });

  it("nothing is written when the path is refused right before the write", async () => {
    const harness = new FileHarness();
    harness.refusedNow = "it leads elsewhere";
    assert.equal(await harness.write(path, "a"), "failed: it leads elsewhere");
    assert.deepEqual(harness.writes, []);
  });

  it("a write that the editor never answers holds up no other write once it is cancelled", async () => {
    const harness = new FileHarness();
    harness.isStuck = true;
    const cancelled = new AbortController();
    const first = harness.run("Write", { file_path: path, content: "a" }, cancelled.signal);
    const outside = harness.run("Write", { file_path: "/elsewhere/a.txt", content: "a" }, cancelled.signal);
    const next = harness.write(`${cwd}/b.txt`, "b");
    await new Promise(setImmediate);
    harness.isStuck = false;
    cancelled.abort();
    assert.match(await next, /^File created/);
    assert.match(await first, /^failed: .*cancelled/);
    assert.match(await outside, /^failed: .*cancelled/);
    assert.deepEqual(harness.writes, [[`${cwd}/b.txt`, "b"]]);
    assert.equal(harness.saved("/elsewhere/a.txt"), undefined);
  });

  it("a write whose path leads elsewhere afterwards is reported as one that may have been made there", async () => {
    const harness = new FileHarness();
    harness.leadsTo = (path) => (harness.writes.length === 0 ? path : "/elsewhere/a.txt");
    const answer = await harness.write(`${cwd}/a.txt`, "text");
    assert.match(answer, /leads to \/elsewhere\/a\.txt now\. The text may have been written there/);
    assert.equal(harness.knownFiles.get(`${cwd}/a.txt`), undefined);
  });

  it("nothing is written after a cancel, and an editor's refusal is reported with its reason", async () => {
    const harness = new FileHarness();
    const answer = await harness.run("Write", { file_path: path, content: "a" }, AbortSignal.abort());
    assert.match(answer, /^failed: The call was cancelled/);
    harness.refusal = "the buffer is locked";
    assert.equal(await harness.write(path, "a"), `failed: The editor did not write ${path}: the buffer is locked`);
    assert.deepEqual(harness.writes, []);
    assert.equal(harness.saved(path), undefined);
  });

  it("a file outside the session's directories is written to disk when the editor refuses it", async () => {
    const harness = new FileHarness();
    harness.refusal = "not in the project";
    assert.match(await harness.write("/elsewhere/a.txt", "a"), /^File created/);
    assert.equal(harness.saved("/elsewhere/a.txt"), "a");
  });

  it("files that are too large or not text, and invalid inputs, are refused", async () => {
    const harness = new FileHarness();
    harness.save(path, new Uint8Array(11 * 1024 * 1024).fill(97));
    assert.match(await harness.edit(path, "a", "b"), /^failed: The file is too large/);
    harness.save(path, "a");
    harness.buffers.set(path, "a".repeat(60_000_000));
    assert.match(await harness.edit(path, "a", "b"), /^failed: The file is too large .*58 MB, the limit is 10 MB/);
    harness.buffers.clear();
    harness.save(path, Uint8Array.of(0, 1));
    assert.match(await harness.write(path, "b"), /^failed: .*not a text file/);
    assert.match(await harness.run("Edit", { file_path: path }), /^failed: /);
    assert.match(await harness.run("Write", {}), /^failed: file_path must be a path/);
  });

  it("files that are not UTF-8 are neither edited nor overwritten, as by the CLI's own tools", async () => {
    const harness = new FileHarness();
    for (const bytes of [
      Buffer.from("caf\u00e9 b", "latin1"),
      Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x62]),
      Buffer.from("\ufeffb", "utf16le"),
    ]) {
      harness.save(path, bytes);
      harness.buffers.set(path, bytes.toString());
      assert.match(await harness.edit(path, "b", "B"), /^failed: .*not UTF-8/);
      assert.match(await harness.write(path, "b"), /^failed: .*not UTF-8/);
    }
  });

  it("NotebookEdit replaces, inserts and deletes cells", async () => {
    const harness = new FileHarness();
    const notebook = `${cwd}/n.ipynb`;
    const cells = [{ cell_type: "code", id: "c1", metadata: {}, source: ["1\n"], outputs: ["x"], execution_count: 1 }];
    harness.save(notebook, `${JSON.stringify({ cells, nbformat: 4 }, null, 2)}\n`);
    const run = (more: object): Promise<string> =>
      harness.run("NotebookEdit", { notebook_path: notebook, cell_id: "c1", new_source: "2", ...more });
    assert.equal(await run({}), unread);
    await harness.replaced({ type: "notebook", file: { filePath: notebook } });
    assert.match(await run({ cell_id: "none" }), /^failed: Cell with ID "none" not found/);
    assert.equal(await run({}), "Updated cell c1 with 2");
    assert.match(harness.saved(notebook) ?? "", /^\{\n {2}"cells": [\s\S]*"outputs": \[\][\s\S]*\}\n$/);
    assert.equal(await run({ edit_mode: "insert" }), "Inserted cell cell-2 with 2");
    assert.equal(await run({ edit_mode: "delete" }), "Deleted cell c1");
  });
});
