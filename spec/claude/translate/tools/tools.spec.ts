/**
 * The titles, kinds, locations and results of every tool family.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentOf, cwd, ending, opening } from "../../../support/translate/cli-events.ts";

type Row = readonly [name: string, input: object, title: string, kind: string];

const at = (path: string): string => `${cwd}/${path}`;

const rows: readonly Row[] = [
  ["Read", { file_path: at("a.ts") }, "Read a.ts", "read"],
  ["Read", { file_path: at("a.ts"), offset: 10, limit: 5 }, "Read a.ts (lines 10 to 14)", "read"],
  ["Read", { file_path: at("a.ts"), limit: 5 }, "Read a.ts (lines 1 to 5)", "read"],
  ["Read", { file_path: at("a.ts"), offset: 7, limit: 1 }, "Read a.ts (line 7)", "read"],
  ["Read", { file_path: at("a.ts"), offset: 7 }, "Read a.ts (from line 7)", "read"],
  ["Read", { file_path: at("a.ts"), offset: 0 }, "Read a.ts", "read"],
  ["Read", { file_path: "/etc/hosts" }, "Read /etc/hosts", "read"],
  ["Read", { file_path: at("a.pdf"), pages: "1-3" }, "Read a.pdf (pages 1-3)", "read"],
  ["read", { filePath: at("a.ts") }, "Read a.ts", "read"],
  ["NotebookRead", { notebook_path: at("n.ipynb") }, "Read n.ipynb", "read"],
  ["Read", {}, "Read", "read"],
  ["Write", { file_path: at("src/b.ts"), content: "x" }, "Write src/b.ts", "edit"],
  ["write", { filePath: at("b.ts"), content: "x" }, "Write b.ts", "edit"],
  ["Edit", { file_path: at("b.ts"), old_string: "a", new_string: "b" }, "Edit b.ts", "edit"],
  ["edit", { filePath: at("b.ts"), oldString: "a", newString: "b" }, "Edit b.ts", "edit"],
  ["MultiEdit", { file_path: at("b.ts"), edits: [] }, "Edit b.ts", "edit"],
  ["NotebookEdit", { notebook_path: at("n.ipynb"), cell_id: "c1", new_source: "x" }, "Edit n.ipynb (cell c1)", "edit"],
  [
    "NotebookEdit",
    { notebook_path: at("n.ipynb"), cell_id: "c1", edit_mode: "insert" },
    "Edit n.ipynb (new cell after c1)",
    "edit",
  ],
  ["NotebookEdit", { notebook_path: at("n.ipynb"), edit_mode: "insert" }, "Edit n.ipynb (new cell)", "edit"],
  [
    "NotebookEdit",
    { notebook_path: at("n.ipynb"), cell_id: "c1", cell_type: "code", new_source: "x" },
    "Edit n.ipynb (cell c1 as code)",
    "edit",
  ],
  [
    "NotebookEdit",
    { notebook_path: at("n.ipynb"), cell_id: "c1", cell_type: "code", edit_mode: "insert" },
    "Edit n.ipynb (new code cell after c1)",
    "edit",
  ],
  [
    "NotebookEdit",
    { notebook_path: at("n.ipynb"), cell_id: "c1", edit_mode: "delete" },
    "Edit n.ipynb (delete cell c1)",
    "edit",
  ],
  ["Bash", { command: "npm test", description: "Run the tests" }, "npm test", "execute"],
  ["Bash", { command: "cat <<EOF\nhello\nEOF" }, "cat <<EOF hello EOF", "execute"],
  ["bash", { command: "ls" }, "ls", "execute"],
  ["BashOutput", { bash_id: "b1" }, "Output of background task b1", "execute"],
  ["KillShell", { shell_id: "b1" }, "Stop background task b1", "execute"],
  ["TaskStop", { task_id: "t1" }, "Stop background task t1", "execute"],
  ["TaskOutput", {}, "Output of a background task", "execute"],
  ["Monitor", { command: "tail -f log", description: "Watch" }, "Watch tail -f log", "execute"],
  ["Glob", { pattern: "**/*.ts" }, "Find **/*.ts", "search"],
  ["Glob", { pattern: "*.ts", path: at("src") }, "Find *.ts in src", "search"],
  ["Grep", { pattern: "foo" }, 'Search for "foo"', "search"],
  ["Grep", { pattern: "foo", path: at("src"), glob: "*.ts" }, 'Search for "foo" in *.ts files in src', "search"],
  ["LS", { path: cwd }, "List .", "search"],
  ["list", { path: at("src") }, "List src", "search"],
  ["WebFetch", { url: "https://a.example/x", prompt: "Sum up" }, "Fetch https://a.example/x", "fetch"],
  ["WebSearch", { query: "acp" }, 'Search the web for "acp"', "fetch"],
  ["Agent", { description: "Count files", prompt: "Count" }, "Count files", "think"],
  ["Task", { prompt: "Count" }, "Delegate to a subagent", "think"],
  [
    "TodoWrite",
    { todos: [{ content: "a", status: "completed" }, { content: "b" }] },
    "Update the plan (1 of 2 done)",
    "think",
  ],
  ["TodoWrite", {}, "Update the plan", "think"],
  ["TodoRead", {}, "Look at the plan", "think"],
  ["TaskCreate", { subject: "Step one" }, "Plan: Step one", "think"],
  ["TaskUpdate", { taskId: "2", status: "in_progress" }, "Plan: step 2 is in progress", "think"],
  ["TaskList", {}, "Look at the plan", "think"],
  ["EnterPlanMode", {}, "Start planning", "switch_mode"],
  ["ExitPlanMode", { plan: "# Plan" }, "Go on with this plan?", "switch_mode"],
  ["AskUserQuestion", { questions: [{ question: "Which?", options: [] }] }, "Which?", "other"],
  ["AskUserQuestion", {}, "Ask a question", "other"],
  ["Skill", { skill: "greeting" }, "Use the skill greeting", "other"],
  ["ToolSearch", { query: "notebook" }, "Look for tools: notebook", "search"],
  ["ToolSearch", { query: "select:NotebookEdit,CronList" }, "Load the tools NotebookEdit, CronList", "search"],
  ["CronCreate", { cron: "0 9 * * 1", prompt: "Say hi" }, 'Schedule "Say hi" (0 9 * * 1)', "other"],
  ["CronDelete", { id: "j1" }, "Cancel the scheduled job j1", "other"],
  ["CronList", {}, "List scheduled jobs", "other"],
  ["ScheduleWakeup", { delaySeconds: 60, reason: "look again" }, "Wake up in 60 seconds: look again", "other"],
  ["ReportFindings", { findings: [{}, {}] }, "Report 2 findings", "think"],
  ["ListAgents", {}, "List agents", "other"],
  ["SendMessage", { to: "reviewer" }, "Message to reviewer", "other"],
  ["EnterWorktree", { name: "try" }, "Work in the worktree try", "other"],
  ["ExitWorktree", { action: "remove" }, "Leave the worktree", "other"],
  ["delete", { path: "a.txt" }, "Delete a.txt", "delete"],
  ["move", { source: "a.txt" }, "Move a.txt", "move"],
  ["mcp__github__create_issue", { title: "Bug" }, "github: create issue (Bug)", "other"],
  ["mcp__my_server__a__b", {}, "my_server: a b", "other"],
  ["SomethingNew", { text: "hello" }, "SomethingNew (hello)", "other"],
  ["SomethingNew", {}, "SomethingNew", "other"],
];

describe("tool titles and kinds", () => {
  for (const [name, input, title, kind] of rows) {
    it(`${name} ${JSON.stringify(input)} has the title "${title}"`, () => {
      const call = opening(name, input);
      assert.equal(call.title, title);
      assert.equal(call.kind, kind);
      assert.equal(call.name, name);
      assert.deepEqual(call._meta, { tool_name: name, claudeCode: { toolName: name } });
    });
  }

  it("a tool of an MCP server never looks like the CLI's own, whatever the server and the tool are called", () => {
    for (const server of ["bowline", "evil"]) {
      for (const tool of ["Bash", "Write", "Edit", "Read"]) {
        const { title, kind: shown } = opening(`mcp__${server}__${tool}`, {
          command: "git status",
          file_path: at("a.ts"),
        });
        assert.match(title, new RegExp(`^${server}: ${tool}`));
        assert.equal(shown, "other");
      }
    }
  });

  it("a title is one line of limited length and never cut within a character", () => {
    const { title } = opening("Bash", { command: `echo ${"😀".repeat(300)}\nmore` });
    assert.ok(title.length <= 160);
    assert.doesNotMatch(title, /\n/);
    assert.doesNotThrow(() => encodeURIComponent(title), "no half of a pair");
    assert.ok(title.endsWith("…"));
  });

  it("an input that is not an object counts as empty", () => {
    for (const input of [null, "text", 5, ["a"]]) assert.equal(opening("Read", input).title, "Read");
  });
});

describe("tool locations", () => {
  it("locations are absolute and count lines from 1", () => {
    assert.deepEqual(opening("Read", { file_path: "src/a.ts", offset: 3 }).locations, [
      { path: at("src/a.ts"), line: 3 },
    ]);
    assert.deepEqual(opening("Read", { file_path: "./a.ts" }).locations, [{ path: at("a.ts") }]);
    assert.deepEqual(opening("Read", { file_path: "C:\\x\\a.ts" }).locations, [{ path: "C:\\x\\a.ts" }]);
  });

  it("a location has no line when the input names none", () => {
    for (const offset of [0, -3, 1e300, NaN, "4"]) {
      assert.deepEqual(opening("Read", { file_path: at("a.ts"), offset }).locations, [{ path: at("a.ts") }]);
    }
  });

  it("a call without a path has no locations", () => {
    assert.equal(opening("Read", {}).locations, undefined);
    assert.equal(opening("Grep", { pattern: "x" }).locations, undefined);
  });

  it("a finding has the location of its file and line", () => {
    const call = opening("ReportFindings", { findings: [{ file: at("a.ts"), line: 2, summary: "Wrong" }] });
    assert.deepEqual(call.locations, [{ path: at("a.ts"), line: 2 }]);
    assert.deepEqual(contentOf(call), ["**a.ts:2** Wrong"]);
  });
});

describe("the read family", () => {
  const input = { file_path: at("a.ts") };

  it("a read shows the text of the file as a code block in its language", () => {
    const structured = { type: "text", file: { filePath: at("a.ts"), content: "let a;\n" } };
    assert.deepEqual(contentOf(ending("Read", input, { content: "1\tlet a;", structured })), ["```ts\nlet a;\n```"]);
  });

  it("a read without a structured result removes the CLI's line numbers", () => {
    assert.deepEqual(contentOf(ending("Read", input, { content: "     1→let a;\n     2→let b;" })), [
      "```ts\nlet a;\nlet b;\n```",
    ]);
  });

  it("a read of a file with code fences uses a longer fence", () => {
    const structured = { file: { content: "````md\n```\n````\n" } };
    assert.deepEqual(contentOf(ending("Read", { file_path: "/a.md" }, { structured })), [
      "`````md\n````md\n```\n````\n`````",
    ]);
  });

  it("a read of an image shows the image", () => {
    const content = [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } }];
    assert.deepEqual(contentOf(ending("Read", { file_path: "/a.png" }, { content })), ["[image]"]);
  });

  it("a read of a notebook shows it cell by cell", () => {
    const cells = [
      { cellType: "code", source: "print(1)\n", language: "python" },
      { cellType: "markdown", source: "# Title" },
    ];
    const end = ending("Read", { file_path: "/n.ipynb" }, { structured: { type: "notebook", file: { cells } } });
    assert.deepEqual(contentOf(end), ["```python\nprint(1)\n```", "# Title"]);
  });

  it("a failed read shows the reason without tags", () => {
    const end = ending("Read", input, {
      content: "<tool_use_error>File does not exist.</tool_use_error>",
      isError: true,
    });
    assert.equal(end.status, "failed");
    assert.deepEqual(contentOf(end), ["File does not exist."]);
  });
});

describe("the bash family", () => {
  const input = { command: "make" };
  const structured = { stdout: "out", stderr: "err" };

  it("a command shows its output as a console block", () => {
    assert.deepEqual(contentOf(ending("Bash", input, { content: "out\nerr", structured })), [
      "```console\nout\nerr\n```",
    ]);
  });

  it("a command without output shows nothing", () => {
    assert.deepEqual(contentOf(ending("Bash", input, { structured: { stdout: "", stderr: "" } })), []);
    assert.deepEqual(contentOf(ending("Bash", input, { content: "(Bash completed with no output)" })), []);
  });

  it("a failed command shows the exit code below its output", () => {
    const end = ending("Bash", input, {
      content: "Exit code 3\nboom",
      structured: "Error: Exit code 3\nboom",
      isError: true,
    });
    assert.equal(end.status, "failed");
    assert.deepEqual(contentOf(end), ["```console\nboom\n```", "Exit code 3"]);
  });

  it("a command writes into the client's terminal when the client shows terminals", () => {
    const view = { showsTerminals: true };
    const call = opening("Bash", input, view);
    assert.deepEqual(contentOf(call), ["terminal call-1"]);
    assert.deepEqual(call._meta?.["terminal_info"], { terminal_id: "call-1", cwd });
    const end = ending("Bash", input, { content: "Exit code 3\nboom", isError: true }, view);
    assert.deepEqual(end._meta, { terminal_exit: { terminal_id: "call-1", exit_code: 3, signal: null } });
    assert.equal(end.content, undefined);
  });

  it("a rejected command says that it was rejected", () => {
    const meta = { non_execution_kind: "user-rejected", permission_decision: { source: "user_reject" } };
    const content = "The user doesn't want to proceed with this tool use. STOP what you are doing.";
    assert.deepEqual(contentOf(ending("Bash", input, { content, meta, isError: true })), ["Rejected."]);
  });

  it("a background command says that it runs in the background", () => {
    const end = ending("Bash", input, {
      content: "Command running…",
      structured: { stdout: "", backgroundTaskId: "b7" },
    });
    assert.deepEqual(contentOf(end), ["```console\nRunning in the background as b7.\n```"]);
  });

  it("stopping a task shows the message of the result", () => {
    const end = ending("TaskStop", { task_id: "b7" }, { content: "{}", structured: { message: "Stopped b7" } });
    assert.deepEqual(contentOf(end), ["Stopped b7"]);
  });
});

describe("the subagent family", () => {
  it("a subagent shows its report without the text the CLI adds for the model", () => {
    const structured = { status: "completed", content: [{ type: "text", text: "Two files." }] };
    const end = ending(
      "Agent",
      { description: "Count" },
      { content: "Two files.\nagentId: a1 <usage>…</usage>", structured },
    );
    assert.deepEqual(contentOf(end), ["Two files."]);
  });

  it("a subagent without a structured result shows the report from the text for the model", () => {
    const frame = "  [Subagent hand-back] NOT a message from the user. The report follows:";
    const content = `${frame}\n  One file.\n    indented\nagentId: a1 (use SendMessage)\n<usage>tool_uses: 1\nduration_ms: 3</usage>`;
    const end = ending("Agent", { description: "Count" }, { content });
    assert.deepEqual(contentOf(end), ["One file.\n  indented"]);
  });
});

describe("the plan mode and question families", () => {
  it("ExitPlanMode says whether the plan was approved", () => {
    assert.equal(ending("ExitPlanMode", { plan: "# P" }, { content: "ok" }).title, "Plan approved");
    assert.equal(ending("ExitPlanMode", { plan: "# P" }, { content: "no", isError: true }).title, "Plan not approved");
  });

  it("ExitPlanMode shows a plan kept in a file when the result contains it", () => {
    assert.deepEqual(contentOf(ending("ExitPlanMode", {}, { structured: { plan: "# Plan" } })), ["# Plan"]);
  });

  it("EnterPlanMode does not show the instructions to the model", () => {
    assert.deepEqual(contentOf(ending("EnterPlanMode", {}, { content: "You are now in plan mode. You MUST…" })), []);
  });

  it("AskUserQuestion shows the answers", () => {
    const input = { questions: [{ question: "Which?", options: [{ label: "A" }] }] };
    assert.deepEqual(contentOf(ending("AskUserQuestion", input, { structured: { answers: { "Which?": "A" } } })), [
      "**Which?**\nA",
    ]);
    assert.deepEqual(contentOf(ending("AskUserQuestion", input, { content: "dismissed", isError: true })), [
      "Not answered.",
    ]);
  });
});

describe("other results", () => {
  it("a web search does not show the instruction to the model", () => {
    const content = "Found it.\n\nREMINDER: You MUST include the sources above in your response.";
    assert.deepEqual(contentOf(ending("WebSearch", { query: "x" }, { content })), ["Found it."]);
  });

  it("a search shows its result as a code block and its failure as text", () => {
    assert.deepEqual(contentOf(ending("Grep", { pattern: "x" }, { content: "a.ts:1:x" })), ["```\na.ts:1:x\n```"]);
    assert.deepEqual(contentOf(ending("Grep", { pattern: "(" }, { content: "bad pattern", isError: true })), [
      "bad pattern",
    ]);
  });

  it("an MCP tool shows text and images without the path of the CLI's copy", () => {
    const content = [
      { type: "text", text: "Here." },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
      { type: "text", text: "[Image: source: /home/dev/.claude/x.png]" },
    ];
    assert.deepEqual(contentOf(ending("mcp__desk__picture", {}, { content })), ["Here.", "[image]"]);
  });

  it("a todo tool shows nothing but failures", () => {
    assert.deepEqual(contentOf(ending("TodoWrite", { todos: [] }, { content: "Todos have been modified…" })), []);
    assert.deepEqual(contentOf(ending("TodoWrite", {}, { content: "no todos", isError: true })), ["no todos"]);
  });
});
