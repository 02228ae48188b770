/**
 * Files: reading and writing through the editor, with all that can be in the way.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { maxPdfBytes } from "../../lib/tools/reading.ts";
import { cwd, Desk, open, told } from "./support/desk.ts";

const path = `${cwd}/a.txt`;
const unread = "failed: File has not been read yet. Read it first before writing to it.";
const changed = /^failed: File has been modified since read/;

describe("Reading", () => {
  it("gives the editor's text, not the disk's, with numbers", async () => {
    const desk = new Desk();
    desk.save(path, "disk\n");
    desk.buffers.set(path, "unsaved\ntext\n");
    assert.equal(await desk.read(path), "1\tunsaved\n2\ttext");
    assert.equal(await desk.read(path, { offset: 2, limit: 5 }), "2\ttext");
    assert.equal(await desk.read("a.txt", { offset: 2 }), "2\ttext", "a relative path too");
  });

  it("reads a file the editor has and the disk has not, and one the editor refuses", async () => {
    const desk = new Desk();
    desk.buffers.set(path, "new\n");
    assert.equal(await desk.read(path), "1\tnew");
    assert.match(await desk.read(`${cwd}/none.txt`), /^failed: File does not exist\. Note: .*\/project\.$/);
  });

  it("shows no byte order mark and no carriage returns, and says when a file is empty or shorter", async () => {
    const desk = new Desk();
    desk.save(path, "\uFEFFa\r\nb\r\n");
    assert.equal(await desk.read(path), "1\ta\n2\tb");
    assert.match(await desk.read(path, { offset: 9 }), /shorter than the provided offset \(9\)\. The file has 2 lines/);
    desk.save(path, "");
    assert.match(await desk.read(path), /contents are empty/);
  });

  it("shows images, and says what it cannot read", async () => {
    const desk = new Desk();
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0);
    assert.equal(await desk.read(desk.save(`${cwd}/a.png`, png)), "(image/png)");
    assert.match(await desk.read(desk.save(`${cwd}/a.bin`, Uint8Array.of(1, 0, 2))), /^failed: .*binary/);
    assert.match(await desk.read(`${cwd}/src`), /^failed: .*directory/);
    const utf16 = Uint8Array.of(0xff, 0xfe, 0x61, 0, 0x0a, 0);
    desk.buffers.set(desk.save(`${cwd}/wide.txt`, utf16), "a\n");
    assert.equal(await desk.read(`${cwd}/wide.txt`), "1\ta");
  });

  it("gives a PDF whole, as a document, up to what a request can hold", async () => {
    const desk = new Desk();
    const { document, ...said } = await desk.reading.run({ file_path: desk.save(`${cwd}/a.pdf`, "%PDF-1.7") });
    assert.equal(told(said), "PDF file read: /project/a.pdf (8 bytes)");
    const data = Buffer.from("%PDF-1.7").toString("base64");
    assert.deepEqual(document?.source, { type: "base64", media_type: "application/pdf", data });
    const large = new Uint8Array(maxPdfBytes);
    large.set(new TextEncoder().encode("%PDF-1.7"));
    assert.match(await desk.read(desk.save(`${cwd}/large.pdf`, large)), /^PDF file read/);
    const tooLarge = new Uint8Array(maxPdfBytes + 1).fill(32);
    tooLarge.set(large.subarray(0, 8));
    assert.match(await desk.read(desk.save(`${cwd}/too-large.pdf`, tooLarge)), /^failed: .*pdftotext/);
    assert.match(await desk.read(desk.save(`${cwd}/no.pdf`, "just text\n")), /^1\tjust text$/);
  });

  it("gives 2000 lines unless asked, and refuses more than fits", async () => {
    const desk = new Desk();
    desk.save(path, "x\n".repeat(3000));
    assert.match(await desk.read(path), /\n2000\tx\n\[lines 1 to 2000 of 3000; use offset and limit to read on\]$/);
    desk.save(path, `${"y".repeat(300_000)}\n`);
    assert.match(await desk.read(path), /^failed: File content \(293KB\) exceeds maximum/);
    assert.match(await desk.edit(path, "y", "z"), changed, "what could not be read is not known");
  });

  it("asks the editor for a part of a very large file, and never for the whole", async () => {
    const desk = new Desk();
    desk.save(path, "0123456789\n".repeat(300_000));
    assert.match(await desk.read(path), /^failed: File content .* exceeds maximum/);
    assert.equal(await desk.read(path, { offset: 200_000, limit: 1 }), "200000\t0123456789");
    desk.save(path, "changed");
    assert.match(await desk.edit(path, "changed", "x"), changed);
  });
});

describe("Writing", () => {
  it("writes a new file once", async () => {
    const desk = new Desk();
    assert.equal(await desk.write(path, "a\n"), `File created successfully at: ${path}`);
    assert.equal(await desk.edit(`${cwd}/b.txt`, "", "b\n"), `File created successfully at: ${cwd}/b.txt`);
    assert.deepEqual(desk.writes, [
      [path, "a\n"],
      [`${cwd}/b.txt`, "b\n"],
    ]);
  });

  it("does not touch a file that was not read, and may go on with one it wrote", async () => {
    const desk = new Desk();
    desk.save(path, "a\n");
    assert.equal(await desk.write(path, "b\n"), unread);
    assert.equal(await desk.edit(path, "a", "b"), unread);
    assert.equal(await desk.edit(path, "", "b"), "failed: Cannot create new file - file already exists.");
    await desk.read(path);
    assert.match(await desk.edit(path, "a", "b"), /has been updated.*\n1\tb/);
    assert.match(await desk.edit(path, "b", "c"), /has been updated/);
    assert.match(await desk.write(path, "d\n"), /has been overwritten/);
    assert.deepEqual(
      desk.writes.map(([, text]) => text),
      ["b\n", "c\n", "d\n"],
    );
  });

  it("notices what the person typed since, and what a command did to the file", async () => {
    const desk = new Desk();
    desk.save(path, "a\n");
    desk.buffers.set(path, "a\n");
    await desk.read(path);
    desk.buffers.set(path, "typed a\n");
    assert.match(await desk.edit(path, "a", "b"), changed);
    await desk.read(path);
    desk.save(path, "by a command\n");
    assert.match(await desk.edit(path, "a", "b"), changed, "the buffer does not know yet");
    assert.match(await desk.write(path, "b"), changed);
    assert.deepEqual(desk.writes, []);
  });

  it("waits for an editor that has not noticed a change on disk, and then takes the disk's word", async () => {
    const desk = new Desk();
    desk.save(path, "a\n");
    desk.buffers.set(path, "a\n");
    await desk.read(path);
    desk.save(path, "newer\n");
    let waits = 0;
    desk.onWait = () => void (++waits === 2 && desk.buffers.set(path, "newer\n"));
    assert.equal(await desk.read(path), "1\tnewer");
    assert.equal(waits, 2);
    desk.save(path, "newest\n");
    desk.onWait = () => {};
    assert.equal(await desk.read(path), "1\tnewest");
    assert.match(await desk.edit(path, "newest", "x"), changed, "the buffer is still another");
  });

  it("keeps unsaved text above a file that was saved by others apart from it", async () => {
    const desk = new Desk();
    desk.save(path, "a\n");
    desk.buffers.set(path, "unsaved\n");
    assert.equal(await desk.read(path), "1\tunsaved");
    assert.match(await desk.edit(path, "unsaved", "kept"), /has been updated/);
    assert.equal(desk.buffers.get(path), "kept\n");
    assert.equal(desk.saved(path), "a\n", "saving is the person's");
  });

  it("makes all of several edits or none", async () => {
    const desk = new Desk();
    desk.save(path, "one two\n");
    await desk.read(path);
    const edits = (last: string): object => ({
      file_path: path,
      edits: [
        { old_string: "one", new_string: "1" },
        { old_string: last, new_string: "2" },
      ],
    });
    assert.match(
      told(await desk.writing.run("MultiEdit", { ...edits("three") }, open())),
      /^failed: String to replace/,
    );
    assert.deepEqual(desk.writes, []);
    await desk.writing.run("MultiEdit", { ...edits("1 two") }, open());
    assert.deepEqual(desk.writes, [[path, "2\n"]]);
  });

  it("writes nothing after a cancel, and tells why the editor would not", async () => {
    const desk = new Desk();
    const cancelled = AbortSignal.abort();
    const answer = await desk.writing.run("Write", { file_path: path, content: "a" }, cancelled);
    assert.match(told(answer), /^failed: The call was cancelled/);
    desk.refusal = "the buffer is locked";
    assert.equal(await desk.write(path, "a"), `failed: The editor did not write ${path}: the buffer is locked`);
    assert.deepEqual(desk.writes, []);
    assert.equal(desk.saved(path), undefined);
  });

  it("goes past an editor that refuses what is not in its project, and past any editor for the CLI's own files", async () => {
    const desk = new Desk();
    desk.refusal = "not in the project";
    assert.match(await desk.write("/elsewhere/a.txt", "a"), /^File created/);
    assert.equal(desk.saved("/elsewhere/a.txt"), "a");
    assert.match(await desk.write("/home/.claude/plans/p.md", "# Plan"), /^File created/);
    assert.equal(desk.saved("/home/.claude/plans/p.md"), "# Plan");
  });

  it("refuses what is too large or no text, and input that is none", async () => {
    const desk = new Desk();
    desk.save(path, new Uint8Array(11 * 1024 * 1024).fill(97));
    assert.match(await desk.edit(path, "a", "b"), /^failed: The file is too large/);
    desk.save(path, Uint8Array.of(0, 1));
    assert.match(await desk.write(path, "b"), /^failed: .*not a text file/);
    assert.match(told(await desk.writing.run("Edit", { file_path: path }, open())), /^failed: /);
    assert.match(told(await desk.writing.run("Write", {}, open())), /^failed: file_path must be a path/);
  });

  it("changes, adds and removes cells of a notebook", async () => {
    const desk = new Desk();
    const notebook = `${cwd}/n.ipynb`;
    const cells = [{ cell_type: "code", id: "c1", metadata: {}, source: ["1\n"], outputs: ["x"], execution_count: 1 }];
    desk.save(notebook, `${JSON.stringify({ cells, nbformat: 4 }, null, 2)}\n`);
    const run = async (more: object): Promise<string> =>
      told(
        await desk.writing.run(
          "NotebookEdit",
          { notebook_path: notebook, cell_id: "c1", new_source: "2", ...more },
          open(),
        ),
      );
    assert.equal(await run({}), unread);
    assert.match(await desk.read(notebook), /^<cell id="c1">1\n<\/cell id="c1">$/);
    assert.match(await run({ cell_id: "none" }), /^failed: Cell with ID "none" not found/);
    assert.equal(await run({}), "Updated cell c1 with 2");
    assert.match(desk.saved(notebook) ?? "", /^\{\n {2}"cells": [\s\S]*"outputs": \[\][\s\S]*\}\n$/);
    assert.equal(await run({ edit_mode: "insert" }), "Inserted cell cell-2 with 2");
    assert.equal(await run({ edit_mode: "delete" }), "Deleted cell c1");
  });
});
