/**
 * Diffs of edits: before the call runs, after it ran, and after it failed.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentOf, cwd, ending, opening } from "../../../support/translate/cli-events.ts";

const path = `${cwd}/a.txt`;
const file = "one\ntwo\nthree\n";
const textOf = (asked: string): string | undefined => (asked === path ? file : undefined);
const edit = { file_path: path, old_string: "two", new_string: "2", replace_all: false };
const patch = [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [" one", "-two", "+2", " three"] }];

describe("an edit before it runs", () => {
  it("an edit shows the text it replaces and its line", () => {
    const call = opening("Edit", edit, { textOf });
    assert.deepEqual(contentOf(call), [`${path}: "two" -> "2"`]);
    assert.deepEqual(call.locations, [{ path, line: 2 }]);
  });

  it("the location of an edit is the first line that changes, not the first line of its old text", () => {
    const input = { file_path: path, old_string: "one\ntwo", new_string: "one\n2" };
    assert.deepEqual(opening("Edit", input, { textOf }).locations, [{ path, line: 2 }]);
  });

  it("an edit has no line when the file cannot be read or does not contain the text", () => {
    assert.deepEqual(opening("Edit", edit).locations, [{ path }]);
    assert.deepEqual(opening("Edit", { ...edit, old_string: "nowhere" }, { textOf }).locations, [{ path }]);
  });

  it("the raw input of an edit does not repeat the texts of the diff", () => {
    assert.deepEqual(opening("Edit", edit).rawInput, { file_path: path, replace_all: false });
  });

  it("an edit of a missing file is a diff without old text", () => {
    const input = { file_path: `${cwd}/new.txt`, old_string: "", new_string: "hello" };
    assert.deepEqual(contentOf(opening("Edit", input, { textOf })), [`${cwd}/new.txt: null -> "hello"`]);
  });

  it("a call with several edits shows a diff for each of them", () => {
    const edits = [
      { old_string: "one", new_string: "1" },
      { old_string: "two", new_string: "2", replace_all: true },
      { old_string: 5 },
    ];
    assert.deepEqual(contentOf(opening("MultiEdit", { file_path: path, edits })), [
      `${path}: "one" -> "1"`,
      `${path}: "two" -> "2"`,
    ]);
  });
});

describe("an edit that succeeded", () => {
  it("a successful edit shows each hunk with its context and the line of its first change", () => {
    const end = ending("Edit", edit, { structured: { structuredPatch: patch } });
    assert.equal(end.status, "completed");
    assert.deepEqual(contentOf(end), [`${path}: "one\\ntwo\\nthree\\n" -> "one\\n2\\nthree\\n"`]);
    assert.deepEqual(end.locations, [{ path, line: 2 }]);
  });

  it("an edit with replace_all shows every hunk", () => {
    const hunks = [
      { newStart: 2, lines: ["-a", "+b"] },
      { newStart: 40, lines: [" x", "-a", "+b"] },
    ];
    const end = ending(
      "Edit",
      { ...edit, replace_all: true },
      { structured: { structuredPatch: hunks, replaceAll: true } },
    );
    assert.deepEqual(contentOf(end), [`${path}: "a\\n" -> "b\\n"`, `${path}: "x\\na\\n" -> "x\\nb\\n"`]);
    assert.deepEqual(end.locations, [
      { path, line: 2 },
      { path, line: 41 },
    ]);
  });

  it("the diff of a file without a final newline has no final newline", () => {
    const lines = ["-a", "\\ No newline at end of file", "+b", "\\ No newline at end of file"];
    const end = ending("Edit", edit, { structured: { structuredPatch: [{ newStart: 1, lines }] } });
    assert.deepEqual(contentOf(end), [`${path}: "a" -> "b"`]);
  });

  it("an edit in a very long line keeps the diff of its input", () => {
    const long = "x".repeat(100_000);
    const end = ending("Edit", edit, {
      structured: { structuredPatch: [{ newStart: 9, lines: [`-${long}two`, `+${long}2`] }] },
    });
    assert.equal(end.content, undefined);
    assert.deepEqual(end.locations, [{ path, line: 9 }]);
  });

  it("a successful edit keeps its diff when the result has no patch", () => {
    const end = ending("Edit", edit, { content: "ok", structured: { structuredPatch: "?" } });
    assert.equal(end.content, undefined);
    assert.equal(end.status, "completed");
  });
});

describe("an edit that failed", () => {
  it("a failed edit keeps its diff and says why it failed", () => {
    const end = ending("Edit", edit, { content: "<tool_use_error>String not found.</tool_use_error>", isError: true });
    assert.equal(end.status, "failed");
    assert.deepEqual(contentOf(end), [`${path}: "two" -> "2"`, "String not found."]);
  });

  it("an edit that the user rejected keeps its diff unchanged", () => {
    const meta = { non_execution_kind: "user-rejected", permission_decision: { source: "user_reject" } };
    const end = ending("Edit", edit, { content: "The user doesn't want…", meta, isError: true });
    assert.equal(end.status, "failed");
    assert.equal(end.content, undefined);
  });
});

describe("a write", () => {
  const write = { file_path: path, content: "new\n" };

  it("a write of a new file has no old text", () => {
    assert.deepEqual(contentOf(opening("Write", write)), [`${path}: null -> "new\\n"`]);
    assert.equal(ending("Write", write, { structured: { type: "create", structuredPatch: [] } }).content, undefined);
  });

  it("an overwrite shows the old text before it runs and does not send it again", () => {
    const call = opening("Write", write, { textOf });
    assert.deepEqual(contentOf(call), [`${path}: ${JSON.stringify(file)} -> "new\\n"`]);
    assert.deepEqual(call.rawInput, { file_path: path });
    const end = ending("Write", write, { structured: { structuredPatch: patch } }, { textOf });
    assert.equal(end.content, undefined);
    assert.deepEqual(end.locations, [{ path, line: 2 }]);
  });

  it("an overwrite of an unreadable file shows the old text afterwards", () => {
    const end = ending("Write", write, { structured: { structuredPatch: patch } });
    assert.deepEqual(contentOf(end), [`${path}: "one\\ntwo\\nthree\\n" -> "one\\n2\\nthree\\n"`]);
  });

  it("a write of an empty file is a diff too", () => {
    assert.deepEqual(contentOf(opening("Write", { file_path: path, content: "" })), [`${path}: null -> ""`]);
  });
});

describe("a notebook edit", () => {
  const notebook = JSON.stringify({ cells: [{ id: "c1", source: ["a = 1\n", "b = 2"] }] });
  const input = { notebook_path: path, cell_id: "c1", new_source: "a = 3" };
  const view = { textOf: () => notebook };

  it("a notebook edit shows the cell before and after", () => {
    assert.deepEqual(contentOf(opening("NotebookEdit", input, view)), [`${path}: "a = 1\\nb = 2" -> "a = 3"`]);
  });

  it("an inserted cell has no old text and a deleted cell has no new text", () => {
    assert.deepEqual(contentOf(opening("NotebookEdit", { ...input, edit_mode: "insert" }, view)), [
      `${path}: "" -> "a = 3"`,
    ]);
    const removed = { ...input, new_source: "", edit_mode: "delete" };
    assert.deepEqual(contentOf(opening("NotebookEdit", removed, view)), [`${path}: "a = 1\\nb = 2" -> ""`]);
  });

  it("a notebook edit shows the old source from the result", () => {
    const end = ending("NotebookEdit", input, { structured: { old_source: "a = 0" } });
    assert.deepEqual(contentOf(end), [`${path}: "a = 0" -> "a = 3"`]);
  });

  it("a notebook edit of a file that is not a notebook does not throw", () => {
    for (const text of ["", "null", "[]", '{"cells":5}', '{"cells":[{"id":"c1","source":{}}]}']) {
      assert.deepEqual(contentOf(opening("NotebookEdit", input, { textOf: () => text })), [`${path}: "" -> "a = 3"`]);
    }
  });
});
