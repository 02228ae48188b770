/**
 * Packets of tool calls: input, output and title of each tool, from Bowline's agent and from other agents.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ToolCallContent, toolContent, type ToolKind, update } from "../../lib/acp/index.ts";
import { type Packet, PacketStream, type ToolCallProgressPacket } from "../../lib/packets/index.ts";
import { fixedNow } from "../support/packets/recorded-packets.ts";

interface Told {
  readonly name?: string | undefined;
  readonly title?: string;
  readonly kind?: ToolKind;
  readonly rawInput?: unknown;
  /** Content sent before the tool ran. */
  readonly opening?: readonly ToolCallContent[];
  readonly content?: readonly ToolCallContent[];
  readonly rawOutput?: unknown;
  readonly status?: "completed" | "failed";
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** All packets of one tool call, from its start to its end. */
function packetsOf({
  name,
  title = "Title",
  kind,
  rawInput,
  opening,
  content,
  rawOutput,
  status,
  meta,
}: Told): readonly Packet[] {
  const stream = new PacketStream({ now: () => fixedNow, cwd: "/work" });
  const call = { toolCallId: "call", title, ...(name !== undefined && { name }), ...(kind !== undefined && { kind }) };
  return [
    ...stream.update(update.toolCall(call)),
    ...stream.update(
      update.toolCallUpdate({
        toolCallId: "call",
        status: "in_progress",
        ...(rawInput !== undefined && { rawInput }),
        ...(opening !== undefined && { content: opening }),
      }),
    ),
    ...stream.update(
      update.toolCallUpdate({
        toolCallId: "call",
        status: status ?? "completed",
        ...(content !== undefined && { content }),
        ...(rawOutput !== undefined && { rawOutput }),
        ...(meta !== undefined && { _meta: meta }),
      }),
    ),
  ];
}

function endOf(told: Told): ToolCallProgressPacket {
  const callbacks = packetsOf(told).filter((packet) => packet.type === "tool_call_progress");
  const end = callbacks.at(-1);
  assert.ok(end !== undefined);
  return end;
}

function nameOf(told: Told): readonly [string, string] {
  const [start] = packetsOf(told);
  const running = packetsOf(told)[1];
  assert.ok(start?.type === "tool_call_start" && running?.type === "tool_call_progress");
  return [running.title, running.kind];
}

const text = (words: string): ToolCallContent => toolContent.block(words);

describe("packets of a file read", () => {
  const read = { name: "Read", kind: "read", rawInput: { file_path: "/work/a.ts" } } as const;

  it("a read has numbered lines between file tags, in its raw output and in its content", () => {
    const end = endOf({ ...read, title: "Read a.ts", content: [text("```ts\none\n\n`three`\n```")] });
    const output = "<file>\n00001| one\n00002| \n00003| `three`\n\n(End of file - total 3 lines)\n</file>";
    assert.deepEqual(end.rawInput, { filePath: "/work/a.ts" });
    assert.deepEqual(end.rawOutput, { output, metadata: { preview: "one\n\n`three`", truncated: false } });
    assert.deepEqual(
      end.content?.map((item) => item.type === "content" && item.content),
      [{ _meta: null, annotations: null, text: output, type: "text" }],
    );
    assert.equal(end.title, "Read a.ts");
  });

  it("a read with an offset is numbered from it, and counts as truncated when it returns as many lines as its limit", () => {
    const end = endOf({ ...read, rawInput: { ...read.rawInput, offset: 40, limit: 2 }, content: [text("a\nb")] });
    assert.equal(end.rawOutput?.["output"], "<file>\n00040| a\n00041| b\n</file>");
    assert.deepEqual(metadataOf(end)["truncated"], true);
  });

  it("a read loses its code fence only when the fence encloses the whole text", () => {
    for (const words of ["```\nunclosed", "```js\na\n```\nb", "`````\n```\nx\n```\n`````"]) {
      const output = String(endOf({ ...read, content: [text(words)] }).rawOutput?.["output"]);
      assert.equal(output.includes("| ```"), true, words);
    }
    assert.match(String(endOf({ ...read, content: [text("```\n```")] }).rawOutput?.["output"]), /total 0 lines/);
  });

  it("a read has the absolute path although the model gave a relative one", () => {
    const stream = new PacketStream({ now: () => fixedNow, cwd: "/work" });
    const call = { toolCallId: "a", name: "Read", status: "completed" as const, rawInput: { file_path: "a.ts" } };
    const [, end] = stream.update(update.toolCallUpdate({ ...call, locations: [{ path: "/work/a.ts" }] }));
    assert.deepEqual(end?.type === "tool_call_progress" && end.rawInput, { filePath: "/work/a.ts" });
  });

  it("the preview of a read is limited in lines and in characters", () => {
    const many = endOf({ ...read, content: [text(Array.from({ length: 99 }, (_, i) => `${i}`).join("\n"))] });
    assert.equal(String(metadataOf(many)["preview"]).split("\n").length, 20);
    const long = String(metadataOf(endOf({ ...read, content: [text("\u{1F600}".repeat(5000).slice(1))] }))["preview"]);
    assert.ok(long.length <= 2000 && !/[\uD800-\uDBFF]$/.test(long));
  });

  it("a read of an image has the image as its content", () => {
    const image = toolContent.block({ type: "image", data: "AA==", mimeType: "image/png" });
    const end = endOf({ ...read, content: [image] });
    assert.deepEqual(end.rawOutput, { output: "", metadata: { preview: "", truncated: false } });
    assert.deepEqual(
      end.content?.map((item) => item.type === "content" && item.content.type),
      ["image"],
    );
  });

  it("a read whose output already has file tags is unchanged", () => {
    const output = "<file>\n00001| x\n</file>";
    assert.equal(endOf({ ...read, content: [text(output)] }).rawOutput?.["output"], output);
  });
});

describe("packets of a search", () => {
  const found = (name: string, words: string): ToolCallProgressPacket =>
    endOf({ name, kind: "search", rawInput: { pattern: "x" }, content: [text(words)] });

  it("a search counts its matches and not the summaries or context lines", () => {
    const cases = [
      ["Glob", "```\na.ts\nb.ts\n```", "a.ts\nb.ts", 2],
      ["Grep", "```\nFound 2 files\na.ts\nb.ts\n```", "a.ts\nb.ts", 2],
      ["Grep", "a.ts:1\nb.ts:3\n\nFound 4 total occurrences across 2 files.", "a.ts:1\nb.ts:3", 2],
      ["Grep", "a.ts:1:x\na.ts-2-y\n--\nb.ts:9:x", "a.ts:1:x\na.ts-2-y\n--\nb.ts:9:x", 2],
      ["Grep", "C:\\a.ts:1:x", "C:\\a.ts:1:x", 1],
    ] as const;
    for (const [name, words, output, count] of cases) {
      assert.deepEqual(found(name, words).rawOutput, { output, metadata: { count, truncated: false } }, words);
    }
  });

  it("a search without results says that no files were found", () => {
    for (const words of [
      "",
      "No files found",
      "```\nNo files found\n```",
      "No matches found",
      "No entries at this offset",
    ]) {
      const expected = { output: "No files found", metadata: { count: 0, truncated: false } };
      assert.deepEqual(found("Grep", words).rawOutput, expected, words);
    }
    assert.deepEqual(endOf({ name: "Glob", kind: "search", content: [] }).rawOutput?.["output"], "No files found");
  });

  it("a search that the CLI truncated is marked as truncated and does not count the CLI's note", () => {
    const notes = [
      "(Results are truncated. Consider using a more specific path or pattern.)",
      "(Showing 2 of 300 matching files; 298 more are not listed. Narrow the pattern or path to see the rest.)",
      "\n[Showing results with pagination = limit: 2]",
      "\nFound 150 total occurrences across 150 files. with pagination = limit: 2",
    ];
    const expected = { output: "a.ts\nb.ts", metadata: { count: 2, truncated: true } };
    for (const note of notes) assert.deepEqual(found("Glob", `a.ts\nb.ts\n${note}`).rawOutput, expected, note);
    assert.deepEqual(found("Grep", "Found 2 files limit: 2\na.ts\nb.ts").rawOutput, expected);
    const past = found("Grep", "No entries at this offset\n\n[Showing results with pagination = offset: 500]");
    assert.deepEqual(past.rawOutput, { output: "No files found", metadata: { count: 0, truncated: false } });
  });
});

describe("packets of a shell command", () => {
  const bash = {
    name: "Bash",
    kind: "execute",
    title: "npm test",
    rawInput: { command: "npm test", description: "Test" },
  } as const;

  it("a command has its output, exit code and description, and the description is its title", () => {
    const end = endOf({ ...bash, opening: [text("Test")], content: [text("```console\nok\n```")] });
    assert.deepEqual(end.rawOutput, {
      output: "ok",
      metadata: { output: "ok", exit: 0, description: "Test", truncated: false },
    });
    assert.deepEqual([end.status, end.title, end.kind], ["completed", "Test", "execute"]);
    assert.equal(endOf({ ...bash, rawInput: { command: "npm test" } }).title, "npm test");
  });

  it("a command with an exit code other than 0 is failed, wherever the agent sends the code", () => {
    const said = endOf({ ...bash, content: [text("```console\nboom\n```"), text("Exit code 3")], status: "failed" });
    assert.deepEqual([said.status, metadataOf(said)["exit"], said.rawOutput?.["output"]], ["failed", 3, "boom"]);
    const first = endOf({ ...bash, content: [text("Exit code 3\nboom")], status: "failed" });
    assert.deepEqual([first.status, metadataOf(first)["exit"], first.rawOutput?.["output"]], ["failed", 3, "boom"]);
    const bare = endOf({ ...bash, content: [text("Exit code 3")], status: "failed" });
    assert.deepEqual([metadataOf(bare)["exit"], bare.rawOutput?.["output"], bare.content], [3, "", []]);
    const both = endOf({ ...bash, content: [text("Exit code 5\nboom"), text("Exit code 3")], status: "failed" });
    assert.deepEqual([metadataOf(both)["exit"], both.rawOutput?.["output"]], [3, "Exit code 5\nboom"]);
    const printed = endOf({ ...bash, content: [text("Exit code 3")] });
    assert.deepEqual([metadataOf(printed)["exit"], printed.rawOutput?.["output"]], [0, "Exit code 3"], "its own words");
    const meta = { terminal_output: { terminal_id: "t", data: "boom" }, terminal_exit: { exit_code: 4, signal: null } };
    const beside = endOf({ ...bash, meta });
    assert.deepEqual([beside.status, metadataOf(beside)["exit"], beside.rawOutput?.["output"]], ["failed", 4, "boom"]);
    const raw = endOf({ ...bash, rawOutput: { exit_code: 5, stdout: "boom" } });
    assert.deepEqual([raw.status, metadataOf(raw)["exit"], raw.rawOutput?.["output"]], ["failed", 5, "boom"]);
  });

  it("a command has no exit code when it was killed, never ran or continues in the background", () => {
    const callbacks = [
      endOf({ ...bash, status: "failed", content: [text("Rejected.")] }),
      endOf({ ...bash, content: [text("```console\nRunning in the background as b1.\n```")] }),
      endOf({ ...bash, meta: { terminal_exit: { exit_code: null, signal: "SIGKILL" } } }),
    ];
    for (const end of callbacks) assert.equal(metadataOf(end)["exit"], null);
  });

  it("a command whose output was truncated is marked as truncated", () => {
    for (const output of ["a\n\n... [9000 characters truncated] ...\n\nb", "x".repeat(30_000)]) {
      assert.equal(metadataOf(endOf({ ...bash, content: [text(output)] }))["truncated"], true);
    }
  });

  it("a command given as a list of arguments becomes one line", () => {
    const end = endOf({ kind: "execute", rawInput: { command: ["git", "status"] }, content: [] });
    assert.equal(end.rawInput["command"], "git status");
  });
});

describe("packets of a write and an edit", () => {
  const write = {
    name: "Write",
    kind: "edit",
    title: "Write a.md",
    rawInput: { file_path: "/work/docs/a.md" },
  } as const;
  const path = "/work/docs/a.md";

  it("a write of a new file has an empty old text and exists: false", () => {
    const end = endOf({ ...write, opening: [toolContent.diff(path, null, "# A\n")] });
    assert.deepEqual(end.rawInput, { filePath: path, content: "# A\n" });
    assert.deepEqual(end.rawOutput, {
      output: "Wrote file successfully.",
      metadata: { diagnostics: {}, filepath: path, exists: false, truncated: false },
    });
    assert.deepEqual(end.content, [
      {
        _meta: null,
        type: "content",
        content: { _meta: null, annotations: null, text: "Wrote file successfully.", type: "text" },
      },
      { _meta: null, type: "diff", newText: "# A\n", oldText: "", path },
    ]);
    assert.equal(end.title, "docs/a.md");
  });

  it("a write over a file keeps the old text, also when the file was empty", () => {
    const over = endOf({
      ...write,
      opening: [toolContent.diff(path, null, "b")],
      content: [toolContent.diff(path, "a", "b")],
    });
    assert.deepEqual([metadataOf(over)["exists"], over.rawInput["content"]], [true, "b"]);
    const empty = endOf({ ...write, opening: [toolContent.diff(path, "", "b")] });
    assert.equal(metadataOf(empty)["exists"], true);
  });

  it("an edit has old_string and new_string, whatever keys the agent uses", () => {
    const expected = { filePath: path, old_string: "a", new_string: "b" };
    const edits: readonly Told[] = [
      { name: "Edit", kind: "edit", rawInput: { file_path: path }, opening: [toolContent.diff(path, "a", "b")] },
      { name: "Edit", kind: "edit", rawInput: { file_path: path, old_string: "a", new_string: "b" } },
      { title: "edit", kind: "edit", rawInput: { filePath: path, oldString: "a", newString: "b" } },
      { kind: "edit", opening: [toolContent.diff(path, "a", "b")] },
    ];
    for (const told of edits) assert.deepEqual(endOf(told).rawInput, expected);
    const many = endOf({
      name: "MultiEdit",
      kind: "edit",
      rawInput: { file_path: path },
      opening: [toolContent.diff(path, "a", "b"), toolContent.diff(path, "c", "d")],
    });
    assert.deepEqual(many.rawInput["edits"], [
      { old_string: "a", new_string: "b" },
      { old_string: "c", new_string: "d" },
    ]);
  });

  it("a patch names its file, and each of its edits if there are several files", () => {
    const [one, two] = ["/work/a.md", "/work/b.md"];
    const patch = { name: "apply_patch", kind: "edit", rawInput: { changes: [] } } as const;
    const inputOf = (...opening: readonly ToolCallContent[]): unknown => endOf({ ...patch, opening }).rawInput;
    assert.deepEqual(inputOf(toolContent.diff(one, null, "a")), { filePath: one, content: "a", changes: [] });
    assert.deepEqual(inputOf(toolContent.diff(one, "a", "b")), {
      filePath: one,
      old_string: "a",
      new_string: "b",
      changes: [],
    });
    assert.deepEqual(inputOf(toolContent.diff(one, "a", "b"), toolContent.diff(two, "c", "")), {
      filePath: one,
      edits: [
        { filePath: one, old_string: "a", new_string: "b" },
        { filePath: two, old_string: "c", new_string: "" },
      ],
      changes: [],
    });
  });

  it("a known edit tool has a fixed output text and an unknown one keeps its own", () => {
    const content = [text("The file has been updated. Do not read it again."), toolContent.diff(path, "a", "b")];
    assert.equal(endOf({ ...write, content }).rawOutput?.["output"], "Wrote file successfully.");
    const patched = endOf({ name: "rewrite", kind: "edit", content });
    assert.equal(patched.rawOutput?.["output"], "The file has been updated. Do not read it again.");
    assert.equal(patched.title, "docs/a.md");
  });

  it("a failed edit keeps its diff after the reason of the failure", () => {
    const diff = toolContent.diff(path, "a", "b");
    const end = endOf({ ...write, opening: [diff], content: [diff, text("no such text")], status: "failed" });
    assert.deepEqual(end.rawOutput, { error: "no such text" });
    assert.deepEqual(
      end.content?.map(({ type }) => type),
      ["content", "diff"],
    );
    const refused = endOf({ ...write, opening: [diff], status: "failed" });
    assert.deepEqual(refused.rawOutput, { error: "It was not done." });
  });

  it("Windows paths below the session's directory are shown as relative paths", () => {
    const stream = new PacketStream({ now: () => fixedNow, cwd: "C:\\work" });
    const content = [toolContent.diff("C:\\work\\a\\b.md", null, "x")];
    const packets = stream.update(
      update.toolCallUpdate({ toolCallId: "a", name: "Write", kind: "edit", status: "completed", content }),
    );
    assert.deepEqual(
      packets.map((packet) => "title" in packet && packet.title),
      ["write", "a\\b.md", false],
    );
  });
});

describe("packets of a todo list", () => {
  const todos = [
    { content: "One", status: "completed", activeForm: "Doing one" },
    { content: "Two", status: "in_progress" },
    { content: "Three", status: "cancelled" },
    { content: "Four", status: "odd" },
  ];

  it("a todo list has the number of open todos as its title, and gives a plan packet when its agent sends no plan", () => {
    const packets = packetsOf({ name: "TodoWrite", kind: "think", rawInput: { todos } });
    assert.deepEqual(typesOf(packets), [
      "tool_call_start",
      "tool_call_progress",
      "agent_plan_update",
      "tool_call_progress",
    ]);
    const end = packets.at(-1);
    assert.ok(end?.type === "tool_call_progress");
    assert.equal(end.title, "2 todos");
    const read = [
      { content: "One", status: "completed", activeForm: "Doing one" },
      { content: "Two", status: "in_progress", activeForm: "Two" },
      { content: "Three", status: "completed", activeForm: "Three" },
      { content: "Four", status: "pending", activeForm: "Four" },
    ];
    assert.deepEqual(end.rawInput, { todos: read });
    assert.deepEqual(end.rawOutput, { output: JSON.stringify(read), metadata: { todos: read, truncated: false } });
    const plan = packets[2];
    assert.deepEqual(plan?.type === "agent_plan_update" && plan.entries[0], {
      _meta: null,
      content: "One",
      priority: "medium",
      status: "completed",
    });
  });

  it("a todo list without input takes the agent's plan as its input", () => {
    const stream = new PacketStream({ now: () => fixedNow });
    stream.update(update.toolCall({ toolCallId: "a", title: "Plan", name: "TodoWrite", kind: "think" }));
    stream.update(update.plan([{ content: "One", priority: "high", status: "pending" }]));
    const [end, ...more] = stream.update(update.toolCallUpdate({ toolCallId: "a", status: "completed" }));
    assert.deepEqual(more, []);
    assert.ok(end?.type === "tool_call_progress");
    assert.deepEqual(end.rawInput, { todos: [{ content: "One", status: "pending", activeForm: "One" }] });
    assert.equal(end.title, "1 todos");
  });
});

describe("packets of a subagent", () => {
  it("a subagent has its prompt, description and type, and its report once and without the part for the model", () => {
    const end = endOf({
      name: "Agent",
      kind: "think",
      title: "Count files",
      rawInput: { subagent_type: "Explore", description: "Count files" },
      opening: [text("Count all files.")],
      content: [text("Three.\n\n<task_metadata>\nid: 1\n</task_metadata>")],
    });
    assert.deepEqual(end.rawInput, {
      prompt: "Count all files.",
      description: "Count files",
      subagent_type: "Explore",
    });
    assert.deepEqual(end.rawOutput, { output: "Three.", metadata: { truncated: false } });
    assert.equal(end.content?.length, 1);
    assert.equal(end.title, "Count files");
  });

  it("a subagent call without a type gets the type general-purpose", () => {
    assert.equal(endOf({ name: "Task", kind: "think" }).rawInput["subagent_type"], "general-purpose");
  });
});

describe("titles of ended tool calls", () => {
  it("no title makes a reader take one tool for another", () => {
    for (const title of ["task", "Task", "todowrite", "TODO_WRITE"]) {
      const { title: shown } = endOf({ name: "Bash", kind: "execute", rawInput: { command: "x", description: title } });
      assert.equal(shown, `bash: ${title}`);
      assert.equal(endOf({ name: "mcp__a__b", kind: "other", title }).title, `mcp__a__b: ${title}`);
    }
    assert.equal(endOf({ name: "Agent", kind: "think", title: "todowrite", rawInput: {} }).title, "task: todowrite");
    assert.equal(endOf({ name: "Skill", title: "" }).title, "skill");
  });
});

describe("tool names inferred for agents that send none", () => {
  it("a tool name is inferred from the title, then the input, then the kind", () => {
    const cases: readonly (readonly [Told, string, string])[] = [
      [{ title: "bash", kind: "execute" }, "bash", "execute"],
      [{ title: "todowrite", kind: "other" }, "todowrite", "other"],
      [{ title: "list", kind: "execute", rawInput: { command: "list" } }, "bash", "execute"],
      [{ rawInput: { subagent_type: "Plan" }, kind: "think" }, "task", "other"],
      [{ rawInput: { todos: [] }, kind: "think" }, "todowrite", "other"],
      [{ rawInput: { command: "ls" } }, "bash", "execute"],
      [{ rawInput: { filePath: "/a", content: "x" }, kind: "edit" }, "write", "edit"],
      [{ rawInput: { filePath: "/a", oldString: "x", newString: "y" }, kind: "edit" }, "edit", "edit"],
      [{ rawInput: { pattern: "*.ts" }, kind: "search" }, "glob", "search"],
      [{ rawInput: { pattern: "x", include: "*.ts" }, kind: "search" }, "grep", "search"],
      [{ rawInput: { url: "https://a" }, kind: "fetch" }, "webfetch", "other"],
      [{ rawInput: { query: "a" }, kind: "fetch" }, "websearch", "other"],
      [{ opening: [toolContent.diff("/a", null, "x")], kind: "edit" }, "write", "edit"],
      [{ opening: [toolContent.diff("/a", "y", "x")], kind: "edit" }, "edit", "edit"],
      [{ kind: "read" }, "read", "read"],
      [{ kind: "search" }, "grep", "search"],
      [{ kind: "execute" }, "bash", "execute"],
      [{ kind: "fetch" }, "webfetch", "other"],
      [{ kind: "delete" }, "delete", "other"],
      [{}, "other", "other"],
    ];
    for (const [told, name, kind] of cases) assert.deepEqual(nameOf(told), [name, kind], JSON.stringify(told));
  });

  it("a tool name in _meta is used as it is", () => {
    const stream = new PacketStream({ now: () => fixedNow });
    for (const meta of [{ toolName: "Glob" }, { tool_name: "Glob" }, { claudeCode: { toolName: "Glob" } }]) {
      const call = { toolCallId: JSON.stringify(meta), title: "Find", _meta: meta };
      const [start] = stream.update(update.toolCall(call));
      assert.equal(start?.type === "tool_call_start" && start.title, "glob");
    }
  });
});

describe("raw output that already has the packet form", () => {
  it("raw output in packet form is passed on unchanged", () => {
    const rawOutput = { output: "x", metadata: { exit: 1, other: [] } };
    const end = endOf({ title: "bash", kind: "execute", rawOutput, content: [text("x")] });
    assert.equal(end.rawOutput, rawOutput);
    assert.equal(end.status, "failed");
  });
});

function metadataOf({ rawOutput }: ToolCallProgressPacket): Readonly<Record<string, unknown>> {
  const metadata = rawOutput?.["metadata"];
  assert.ok(typeof metadata === "object" && metadata !== null);
  return { ...metadata };
}

function typesOf(packets: readonly Packet[]): readonly string[] {
  return packets.map(({ type }) => type);
}
