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

function diffsOf({ content }: ReturnType<typeof opening>): readonly { oldText: unknown; newText: string }[] {
  return (content ?? []).flatMap((part) =>
    part.type === "diff" ? [{ oldText: part.oldText, newText: part.newText }] : [],
  );
}

describe("an edit before it runs", () => {
  it("an edit shows the whole lines it changes, with three lines of context and its line", () => {
    const call = opening("Edit", edit, { textOf });
    assert.deepEqual(contentOf(call), [`${path}: "one\\ntwo\\nthree\\n" -> "one\\n2\\nthree\\n"`]);
    assert.deepEqual(call.locations, [{ path, line: 2 }]);
    const long = Array.from({ length: 20 }, (_, i) => `  line ${i + 1}\n`).join("");
    const input = { file_path: path, old_string: "line 10", new_string: "ten" };
    assert.deepEqual(diffsOf(opening("Edit", input, { textOf: () => long })), [
      {
        oldText: "  line 7\n  line 8\n  line 9\n  line 10\n  line 11\n  line 12\n  line 13\n",
        newText: "  line 7\n  line 8\n  line 9\n  ten\n  line 11\n  line 12\n  line 13\n",
      },
    ]);
  });

  it("an edit of a file that cannot be read shows the text it replaces", () => {
    assert.deepEqual(contentOf(opening("Edit", edit)), [`${path}: "two" -> "2"`]);
  });

  it("an edit with replace_all says in how many places, and shows each of them", () => {
    const lines = Array.from({ length: 120 }, (_, i) => (i === 39 || i === 99 ? "  sub(a);\n" : `${i + 1}\n`));
    const input = { file_path: path, old_string: "sub", new_string: "minus", replace_all: true };
    const call = opening("Edit", input, { textOf: () => lines.join("") });
    assert.equal(call.title, "Edit a.txt (in all 2 places)");
    assert.deepEqual(
      diffsOf(call).map(({ newText }) => newText),
      ["37\n38\n39\n  minus(a);\n41\n42\n43\n", "97\n98\n99\n  minus(a);\n101\n102\n103\n"],
    );
    assert.deepEqual(call.locations, [
      { path, line: 40 },
      { path, line: 100 },
    ]);
  });

  it("an edit with replace_all says so, also where the places cannot be shown", () => {
    const input = { file_path: path, old_string: "ok", new_string: "!ok", replace_all: true };
    for (const text of [undefined, "if(ok)".repeat(20_000)]) {
      const call = opening("Edit", input, { textOf: () => text });
      assert.equal(contentOf(call)?.at(-1), "The change is made everywhere in the file.");
    }
    const many = { file_path: path, edits: [input, { old_string: "a", new_string: "b" }] };
    assert.equal(contentOf(opening("MultiEdit", many))?.[1], "The change is made everywhere in the file.");
  });

  it("an edit of a notebook shows the text of the cell by its id and by its position, or says that it is not known", () => {
    const cells = [
      { id: "abc", source: ["check_signature()\n", "go()"] },
      { id: "cell-0", source: "second" },
    ];
    const shown = (input: object, text = JSON.stringify({ cells })): unknown =>
      contentOf(opening("NotebookEdit", { notebook_path: path, new_source: "pass", ...input }, { textOf: () => text }));
    const [first, second] = [`${path}: "check_signature()\\ngo()" -> "pass"`, `${path}: "second" -> "pass"`];
    assert.deepEqual(shown({ cell_id: "abc" }), [first]);
    assert.deepEqual(shown({ cell_id: "cell-0" }), [second]);
    assert.deepEqual(shown({ cell_id: "cell-1" }), [second]);
    const byPosition = JSON.stringify({ cells: [cells[0]] });
    assert.deepEqual(shown({ cell_id: "cell-0" }, byPosition), [first]);
    assert.deepEqual(shown({ cell_id: "cell-0", edit_mode: "delete" }, byPosition), [
      `${path}: "check_signature()\\ngo()" -> ""`,
    ]);
    assert.deepEqual(shown({ cell_id: "cell-7" }), [
      "The present text of the cell is not known.",
      `${path}: "" -> "pass"`,
    ]);
    assert.deepEqual(shown({ cell_id: "abc", edit_mode: "insert" }), [`${path}: "" -> "pass"`]);
  });

  it("places that are close to each other are one diff", () => {
    const input = { file_path: path, old_string: "e", new_string: "E", replace_all: true };
    const call = opening("Edit", input, { textOf });
    assert.equal(call.title, "Edit a.txt (in all 3 places)");
    assert.deepEqual(contentOf(call), [`${path}: "one\\ntwo\\nthree\\n" -> "onE\\ntwo\\nthrEE\\n"`]);
  });

  it("an edit with replace_all of thousands of places shows a limited number and says how many are left out", () => {
    const many = "a\n1\n2\n3\n4\n5\n6\n7\n8\n".repeat(2000);
    const call = opening(
      "Edit",
      { file_path: path, old_string: "a", new_string: "b", replace_all: true },
      { textOf: () => many },
    );
    assert.equal(call.title, "Edit a.txt (in all 2000 places)");
    assert.ok(JSON.stringify(call).length < 64 * 1024, `${JSON.stringify(call).length} characters`);
    assert.match(contentOf(call)?.at(-1) ?? "", /^The same change in \d+ more places of the file\.$/);
  });

  it("a one-word edit sends less than 4 KB for the call, the question and the result, however long the lines are", () => {
    for (const width of [1, 40, 80, 200, 100_000]) {
      const before = Array.from({ length: 40 }, (_, i) => `${"x".repeat(width)} ${i}`);
      const input = { file_path: path, old_string: " 20", new_string: " twenty" };
      const call = opening("Edit", input, { textOf: () => before.join("\n") });
      assert.ok(2 * JSON.stringify(call).length < 4096, `${JSON.stringify(call).length} characters at ${width}`);
    }
  });

  it("an edit of a file with Windows line ends finds text of several lines", () => {
    const input = { file_path: path, old_string: "one\ntwo", new_string: "1\n2" };
    const call = opening("Edit", input, { textOf: () => "one\r\ntwo\r\nthree\r\n" });
    assert.deepEqual(contentOf(call), [`${path}: "one\\ntwo\\nthree\\n" -> "1\\n2\\nthree\\n"`]);
  });

  it("each of several edits is shown in the file that the edits before it leave", () => {
    const edits = [
      { old_string: "two", new_string: "2" },
      { old_string: "2", new_string: "II" },
    ];
    assert.deepEqual(contentOf(opening("MultiEdit", { file_path: path, edits }, { textOf })), [
      `${path}: "one\\ntwo\\nthree\\n" -> "one\\n2\\nthree\\n"`,
      `${path}: "one\\n2\\nthree\\n" -> "one\\nII\\nthree\\n"`,
    ]);
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
      "The change is made everywhere in the file.",
    ]);
  });
});

describe("an edit that succeeded", () => {
  it("a successful edit does not send again the diff and the line that were shown before it ran", () => {
    const end = ending("Edit", edit, { structured: { structuredPatch: patch } }, { textOf });
    assert.equal(end.status, "completed");
    assert.equal(end.content, undefined);
    assert.equal(end.locations, undefined);
  });

  it("a successful edit reports its line when the file had changed before it ran", () => {
    const moved = [{ newStart: 41, lines: [" one", "-two", "+2"] }];
    const end = ending("Edit", edit, { structured: { structuredPatch: moved } }, { textOf });
    assert.deepEqual(end.locations, [{ path, line: 42 }]);
  });

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
  it("a failed edit says before its diff that it was not applied and why", () => {
    const end = ending("Edit", edit, { content: "<tool_use_error>String not found.</tool_use_error>", isError: true });
    assert.equal(end.status, "failed");
    assert.deepEqual(contentOf(end), ["Not applied.", "String not found.", `${path}: "two" -> "2"`]);
  });

  it("an edit that the user rejected says so before its diff, and a long diff is not sent again", () => {
    const meta = { non_execution_kind: "user-rejected", permission_decision: { source: "user_reject" } };
    const rejected = { content: "The user doesn't want…", meta, isError: true };
    const end = ending("Edit", edit, rejected);
    assert.equal(end.status, "failed");
    assert.deepEqual(contentOf(end), ["Not applied.", "Rejected.", `${path}: "two" -> "2"`]);
    const long = ending("Write", { file_path: path, content: "x".repeat(9000) }, rejected);
    assert.deepEqual(contentOf(long), ["Not applied.", "Rejected."]);
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
      assert.deepEqual(contentOf(opening("NotebookEdit", input, { textOf: () => text })), [
        "The present text of the cell is not known.",
        `${path}: "" -> "a = 3"`,
      ]);
    }
  });
});
