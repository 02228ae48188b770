/**
 * Live specs of file tools: reading and changing files, as the editor shows it.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { at } from "../../support/json.ts";
import { inSession } from "../../support/live/with-agent.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";

const edits = (path: string): string =>
  `[Allow | Always allow all edits in this session | Reject | Never allow changes to ${path} in this session | Reject and tell Claude why]`;

describe("Read", () => {
  it("Read shows the text once, the part that was read, images, and why a file cannot be read", () =>
    inSession({}, async ({ client, api, path, tell, sessionId }) => {
      api.script(
        "read",
        answer(say("Reading."), call("Read", { file_path: path("hello.txt") })),
        answer(call("Read", { file_path: path("hello.txt"), offset: 2, limit: 1 })),
        answer(call("Read", { file_path: path("pixel.png") })),
        answer(call("Read", { file_path: path("nowhere.txt") })),
        answer(say("Read.")),
      );
      assert.deepEqual(await tell("[[read]] go"), [
        "says Reading.",
        "calls read Read hello.txt",
        "completed Read hello.txt · ```txt\nhello world\nsecond line\nthird line\n```",
        "calls read Read hello.txt",
        "titled Read hello.txt (line 2)",
        "completed Read hello.txt (line 2) · ```txt\nsecond line\n```",
        "calls read Read pixel.png",
        "completed Read pixel.png · (image)",
        "calls read Read nowhere.txt",
        "failed Read nowhere.txt · File does not exist. Note: your current working directory is ~.",
        "says Read.",
        "answers end_turn",
      ]);
      const places = client.toolCalls(sessionId).map(({ locations }) => locations);
      assert.deepEqual(places.slice(0, 2), [[{ path: path("hello.txt") }], [{ path: path("hello.txt"), line: 2 }]]);
      assert.equal(client.editor.asked.length, 0);
    }));
});

describe("Write", () => {
  it("Write shows a new file whole and an overwrite with the old text, before the user allows it", () =>
    inSession({}, async ({ client, api, path, place, tell }) => {
      api.script(
        "write",
        answer(call("Write", { file_path: path("new.txt"), content: "a\nb\n" })),
        answer(call("Read", { file_path: path("hello.txt") })),
        answer(call("Write", { file_path: path("hello.txt"), content: "all new\n" })),
        answer(say("Written.")),
      );
      client.editor.usual = () => {
        assert.equal(place.read("hello.txt").split("\n").length, 4, "nothing is written before the answer");
        return "allow";
      };
      const old = JSON.stringify("hello world\nsecond line\nthird line\n");
      assert.deepEqual(
        (await tell("[[write]] go")).filter((line) => !line.includes("Read")),
        [
          "calls edit Write new.txt",
          `asks Write new.txt · ~/new.txt: null -> "a\\nb\\n" ${edits("new.txt")}`,
          'completed Write new.txt · ~/new.txt: null -> "a\\nb\\n"',
          "calls edit Write hello.txt",
          `asks Write hello.txt · ~/hello.txt: ${old} -> "all new\\n" ${edits("hello.txt")}`,
          `completed Write hello.txt · ~/hello.txt: ${old} -> "all new\\n"`,
          "says Written.",
          "answers end_turn",
        ],
      );
      assert.equal(place.read("new.txt"), "a\nb\n");
      assert.equal(place.read("hello.txt"), "all new\n");
    }));
});

describe("Edit", () => {
  it("Edit shows what it replaces, all places of replace_all, and keeps the diff of an edit that fails", () =>
    inSession({}, async ({ client, api, path, place, tell, sessionId }) => {
      const file_path = path("README.md");
      api.script(
        "edit",
        answer(call("Read", { file_path })),
        answer(call("Edit", { file_path, old_string: "small", new_string: "tiny" })),
        answer(call("Edit", { file_path, old_string: "t", new_string: "T", replace_all: true })),
        answer(call("Edit", { file_path, old_string: "nowhere", new_string: "x" })),
        answer(say("Edited.")),
      );
      assert.deepEqual((await tell("[[edit]] go")).slice(2), [
        "calls edit Edit README.md",
        `asks Edit README.md · ~/README.md: "# Project\\n\\nA small project for a test.\\n" -> "# Project\\n\\nA tiny project for a test.\\n" ${edits("README.md")}`,
        'completed Edit README.md · ~/README.md: "# Project\\n\\nA small project for a test.\\n" -> "# Project\\n\\nA tiny project for a test.\\n"',
        "calls edit Edit README.md",
        "titled Edit README.md (in all 5 places)",
        `asks Edit README.md (in all 5 places) · ~/README.md: "# Project\\n\\nA tiny project for a test.\\n" -> "# ProjecT\\n\\nA Tiny projecT for a TesT.\\n" ${edits("README.md")}`,
        'completed Edit README.md (in all 5 places) · ~/README.md: "# Project\\n\\nA tiny project for a test.\\n" -> "# ProjecT\\n\\nA Tiny projecT for a TesT.\\n"',
        "calls edit Edit README.md",
        'failed Edit README.md · Not applied. · String to replace not found in file.\nString: nowhere · ~/README.md: "nowhere" -> "x"',
        "says Edited.",
        "answers end_turn",
      ]);
      assert.equal(place.read("README.md"), "# ProjecT\n\nA Tiny projecT for a TesT.\n");
      assert.deepEqual(client.toolCalls(sessionId)[1]?.locations, [{ path: file_path, line: 3 }]);
    }));

  it("Edit of one word in a large file sends little over the wire", () =>
    inSession({}, async ({ client, api, path, place, tell }) => {
      const lines = Array.from({ length: 4000 }, (_, i) => `line ${i} of a large file, ${"x".repeat(20)}`);
      const file_path = place.write("large.txt", lines.join("\n"));
      api.script(
        "edit",
        answer(call("Read", { file_path: path("hello.txt") })),
        answer(call("Read", { file_path, offset: 2000, limit: 5 })),
        answer(call("Edit", { file_path, old_string: "line 2001 of", new_string: "row 2001 of" })),
        answer(say("Edited.")),
      );
      await tell("[[edit]] go");
      const wire = client.program.wire.items.filter(({ from, message }) => {
        // A file that is written through the editor is sent whole, once; that is not an update.
        const isWrite = message?.["method"] === "fs/write_text_file";
        return from === "agent" && !isWrite && JSON.stringify(message).includes("row 2001");
      });
      const bytes = wire.reduce((sum, { text }) => sum + text.length, 0);
      assert.ok(wire.length > 0 && bytes < 4096, `${bytes} bytes for a one-word edit`);
    }));
});

describe("NotebookEdit", () => {
  it("NotebookEdit shows a cell's old and new source, and what is inserted or deleted", () =>
    inSession({}, async ({ client, api, path, tell }) => {
      const notebook_path = path("notes.ipynb");
      const cell_id = "cell-1";
      api.script(
        "cells",
        answer(call("Read", { file_path: notebook_path })),
        answer(call("NotebookEdit", { notebook_path, cell_id, new_source: "print(2)\n" })),
        answer(
          call("NotebookEdit", { notebook_path, cell_id, new_source: "3", edit_mode: "insert", cell_type: "code" }),
        ),
        answer(call("NotebookEdit", { notebook_path, cell_id, new_source: "", edit_mode: "delete" })),
        answer(say("Done.")),
      );
      const callbacks = (await tell("[[cells]] go")).filter((line) => line.startsWith("completed Edit"));
      assert.deepEqual(callbacks, [
        'completed Edit notes.ipynb (cell cell-1) · ~/notes.ipynb: "print(1)\\n" -> "print(2)\\n"',
        'completed Edit notes.ipynb (new cell after cell-1) · ~/notes.ipynb: "" -> "3"',
        'completed Edit notes.ipynb (delete cell cell-1) · ~/notes.ipynb: "print(2)\\n" -> ""',
      ]);
      assert.equal(client.editor.asked.length, 3);
      assert.equal(at(client.editor.asked.items[0]?.request, "toolCall.content.0.oldText"), "print(1)\n");
    }));
});
