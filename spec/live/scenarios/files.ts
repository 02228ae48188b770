/**
 * Recordings of tools that read, search and change files.
 */
import { answer, call, say } from "../../support/live/api/model-script.ts";
import type { Recording } from "./recording.ts";

const allTools = { ENABLE_TOOL_SEARCH: "false" };

export const fileRecordings: readonly Recording[] = [
  {
    name: "notebook-edit",
    what: "NotebookEdit: replace, insert, delete, and a cell that is not there",
    env: allTools,
    scripts: (place) => {
      const notebook_path = place.path("notes.ipynb");
      const edit = { notebook_path, cell_id: "cell-1", new_source: "print(2)\n" };
      const insert = { ...edit, new_source: "# Title", cell_type: "markdown", edit_mode: "insert" };
      return {
        "notebook-edit": [
          answer(say("Reading."), call("Read", { file_path: notebook_path })),
          answer(call("NotebookEdit", { ...edit, edit_mode: "replace" })),
          answer(call("NotebookEdit", insert)),
          answer(call("NotebookEdit", { notebook_path, cell_id: "nowhere", new_source: "x" })),
          answer(call("NotebookEdit", { ...edit, new_source: "", edit_mode: "delete" })),
          answer(say("Done.")),
        ],
      };
    },
  },
  {
    name: "search-modes",
    what: "Grep in its three modes, with context, without a match, with a broken pattern; Glob with and without matches",
    args: ["--allowedTools=Glob,Grep"],
    scripts: (place) => ({
      "search-modes": [
        answer(
          call("Grep", { pattern: "greet", output_mode: "content", "-n": true, "-C": 1 }),
          call("Grep", { pattern: "greet", path: place.path("src"), glob: "*.ts" }),
          call("Grep", { pattern: "hello", output_mode: "count", "-i": true }),
        ),
        answer(
          call("Grep", { pattern: "nowhere-to-be-found" }),
          call("Grep", { pattern: "(" }),
          call("Glob", { pattern: "src/**/*.ts" }),
          call("Glob", { pattern: "*.nothing", path: place.path("src") }),
        ),
        answer(say("Searched.")),
      ],
    }),
  },
  {
    name: "old-tools",
    what: "tools of earlier CLIs, as a model may still call them: MultiEdit, LS, BashOutput, KillShell, TodoRead",
    scripts: (place) => ({
      "old-tools": [
        answer(
          call("MultiEdit", {
            file_path: place.path("hello.txt"),
            edits: [{ old_string: "world", new_string: "planet" }],
          }),
          call("LS", { path: place.cwd }),
          call("BashOutput", { bash_id: "b1" }),
          call("KillShell", { shell_id: "b1" }),
          call("TodoRead", {}),
        ),
        answer(say("None of them is there.")),
      ],
    }),
  },
  {
    name: "read-image",
    what: "Read of a PNG: the image comes back as a block; Read with offset and limit; Read of a directory and of nothing",
    scripts: (place) => ({
      "read-image": [
        answer(call("Read", { file_path: place.path("pixel.png") })),
        answer(call("Read", { file_path: place.path("hello.txt"), offset: 2, limit: 1 })),
        answer(call("Read", { file_path: place.path("src") }), call("Read", { file_path: place.path("none.txt") })),
        answer(say("A red dot.")),
      ],
    }),
  },
  {
    name: "edit-many",
    what: "Edit with replace_all, an Edit that does not match, one that matches twice, Write over an existing file",
    scripts: (place) => {
      const file_path = place.path("hello.txt");
      return {
        "edit-many": [
          answer(call("Read", { file_path })),
          answer(call("Edit", { file_path, old_string: "line", new_string: "row", replace_all: true }, { pieces: 9 })),
          answer(call("Edit", { file_path, old_string: "row", new_string: "line" })),
          answer(call("Edit", { file_path, old_string: "not there", new_string: "x" })),
          answer(call("Write", { file_path, content: "all new\n" })),
          answer(say("Edited.")),
        ],
      };
    },
  },
  {
    name: "tool-search",
    what: "ToolSearch: by name, by words, without a match; then a deferred tool is called",
    scripts: (place) => ({
      "tool-search": [
        answer(call("ToolSearch", { query: "select:NotebookEdit,CronList" })),
        answer(call("ToolSearch", { query: "notebook jupyter", max_results: 2 })),
        answer(call("ToolSearch", { query: "select:NoSuchTool" })),
        answer(call("NotebookEdit", { notebook_path: place.path("notes.ipynb"), cell_id: "cell-1", new_source: "1" })),
        answer(say("Found.")),
      ],
    }),
  },
];
