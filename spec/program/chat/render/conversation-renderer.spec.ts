/**
 * Rendering of session updates: final lines, and live lines meanwhile.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SessionUpdate, planEntry, toolContent, update } from "../../../../lib/acp/index.ts";
import { duration, ConversationRenderer } from "../../../../lib/program/chat/render/conversation-renderer.ts";
import { bare, coloured, piped } from "../../../support/program/chat/themes.ts";
import { hostileTexts, obeyed } from "../../../support/program/chat/hostile-texts.ts";

function told(story: ConversationRenderer, ...updates: readonly SessionUpdate[]): readonly string[] {
  return updates.flatMap((one) => story.take(one, 0));
}

const diff = toolContent.diff("/project/a", "old\n", "new\n");

describe("ConversationRenderer", () => {
  it("a line stays live until it is complete", () => {
    const story = new ConversationRenderer(bare);
    assert.deepEqual(told(story, update.agentMessage("One li")), []);
    assert.deepEqual(story.live("*", 0), ["One li"]);
    assert.deepEqual(told(story, update.agentMessage("ne.\nTwo")), ["One line."]);
    assert.deepEqual(story.live("*", 0), ["Two"]);
    assert.deepEqual(story.end(), ["Two"]);
    assert.deepEqual(story.live("*", 0), []);
  });

  it("the rendered text is the same however it is split into chunks", () => {
    const text = "# A\n\nOne **two** three.\r\n\n```\ncode\n```\n- end";
    const whole = new ConversationRenderer(bare);
    const expected = [...told(whole, update.agentMessage(text)), ...whole.end()];
    const story = new ConversationRenderer(bare);
    const pieces = text.split("").map((character) => update.agentMessage(character));
    assert.deepEqual([...told(story, ...pieces), ...story.end()], expected);
  });

  it("a blank line after a table at the start of a message stays", () => {
    const story = new ConversationRenderer(coloured);
    const lines = [...told(story, update.agentMessage("\n| a |\n|---|\n| 1 |\n\nThen.")), ...story.end()];
    assert.deepEqual(lines.slice(-3), ["1", "", "Then."]);
  });

  it("a thought is shown in one line, or in full", () => {
    const thought = `${"deep ".repeat(30)}\nend`;
    const [line = ""] = [
      ...told(new ConversationRenderer(bare), update.agentThought(thought), update.agentMessage("x\n")),
    ];
    assert.match(line, /^✻ deep deep .*…$/);
    assert.ok(line.length <= 60);
    const folded = new ConversationRenderer(bare);
    told(folded, update.agentThought(thought), update.agentMessage("x\n"));
    assert.match(folded.unfolded().join("\n"), /^✻ (?:deep\s+)+end$/, "the whole of a folded thought can be shown");
    const story = new ConversationRenderer({ ...bare, showsThoughts: true });
    assert.match([...told(story, update.agentThought(thought)), ...story.flush()].join("\n"), /^✻ (?:deep\s+)+end$/);
  });

  it("a tool call is live while it runs, then final with its mark and content", () => {
    const story = new ConversationRenderer(bare);
    const call = { toolCallId: "1", title: "Edit a", kind: "edit", content: [diff] } as const;
    assert.deepEqual(told(story, update.toolCall({ ...call, status: "in_progress" })), []);
    assert.deepEqual(story.live("*", 5000), ["", "* Edit a 5s"]);
    const done = update.toolCallUpdate({ toolCallId: "1", status: "completed" });
    assert.deepEqual(told(story, done), ["✓ Edit a", "    1      - old", "         1 + new"]);
    assert.deepEqual(told(story, done), [], "a late word opens nothing");
  });

  it("read results are counted in lines, and the end of a command's output is shown", () => {
    const story = new ConversationRenderer(bare);
    const text = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join("\n");
    const content = [toolContent.block(`\`\`\`console\n${text}\n\`\`\``)];
    const read = update.toolCall({ toolCallId: "1", title: "Read a", kind: "read", status: "completed", content });
    assert.deepEqual(told(story, read), ["✓ Read a  30 lines"]);
    const run = update.toolCall({ toolCallId: "2", title: "seq", kind: "execute", status: "completed", content });
    const lines = told(story, run);
    assert.deepEqual([lines[1], lines[2], lines.at(-1)], ["✓ seq", "  … 18 more lines, ctrl-o shows all", "  line 30"]);
  });

  it("a long diff is cut, with the number of lines left out", () => {
    const content = [toolContent.diff("/a", null, "x\n".repeat(100))];
    const lines = told(
      new ConversationRenderer(bare),
      update.toolCall({ toolCallId: "1", title: "Write", status: "completed", content }),
    );
    assert.equal(lines.at(-1), "  … 60 more lines, ctrl-o shows all");
    assert.equal(lines.length, 42);
  });

  it("the tool call of a permission request is shown once, from its start", () => {
    const story = new ConversationRenderer(bare);
    const command = `echo ${"a".repeat(80)}; rm -rf ~`;
    const content = [toolContent.block(`\`\`\`sh\n${command}\n\`\`\``)];
    const asked = { toolCallId: "1", title: "echo a…", kind: "execute", content } as const;
    const lines = story.propose(asked, 0, "/p").printed;
    assert.equal(lines[0], "? echo a…");
    assert.equal(lines.slice(1).join("").replaceAll(/\s/g, ""), command.replaceAll(/\s/g, ""));
    assert.deepEqual(story.live("*", 0), [], "nothing runs while it is asked");
    const other = new ConversationRenderer(bare);
    const edit = { toolCallId: "1", title: "Edit /project/a", kind: "edit", content: [diff] } as const;
    assert.equal(other.propose(edit, 0, "/p").printed.length, 3);
    assert.deepEqual(told(other, update.toolCallUpdate({ toolCallId: "1", status: "completed" })), [
      "✓ Edit /project/a",
    ]);
  });

  it("the output of a running command is shown also after a permission request, without its fence", () => {
    const story = new ConversationRenderer(bare);
    const about = toolContent.block("Count to three");
    const asked = { toolCallId: "1", title: "seq 3", kind: "execute", content: [about] } as const;
    story.propose(asked, 0, "/p");
    told(story, update.toolCallUpdate({ toolCallId: "1", status: "in_progress" }));
    assert.deepEqual(story.live("*", 0), ["", "* seq 3"]);
    const content = [about, toolContent.block("```console\n1\n2\n```")];
    told(story, update.toolCallUpdate({ toolCallId: "1", content }));
    assert.deepEqual(story.live("*", 0), ["", "* seq 3", "    1", "    2"]);
  });

  it("a permission request shows what neither its title nor its content says of the input and the file", () => {
    const lines = (call: object): readonly string[] =>
      new ConversationRenderer(piped).propose({ toolCallId: "1", ...call }, 0, "/p").printed;
    assert.deepEqual(
      lines({ title: "Run a command", kind: "execute", rawInput: { command: "rm -rf ~", timeout: 5 } }),
      ["? Run a command", "  command: rm -rf ~", "  timeout: 5"],
    );
    assert.deepEqual(lines({ title: "rm -rf ~", kind: "execute", rawInput: { command: "rm -rf ~" } }), ["? rm -rf ~"]);
    assert.deepEqual(lines({ title: "confirm", rawInput: { command: "rm\u202e" } }), [
      "? confirm",
      "  command: rm<U+202E>",
    ]);
    assert.deepEqual(lines({ title: "deploy", rawInput: { to: { host: "prod" }, force: true } }), [
      "? deploy",
      "  to: {",
      '    "host": "prod"',
      "  }",
      "  force: true",
    ]);
    const content = [toolContent.diff("/p/a/b.ts", "old\n", "new\n")];
    const rawInput = { file_path: "/p/a/b.ts", old_string: "old", new_string: "new" };
    assert.equal(lines({ title: "Edit `a/b.ts`", content, rawInput }).length, 3);
    assert.equal(lines({ title: "Edit b.ts", content, rawInput })[1], "  /p/a/b.ts");
    const long = Array.from({ length: 60 }, (_, i) => `line ${i}`).join("\n");
    assert.equal(lines({ title: "Write", rawInput: { text: long } }).length, 61);
  });

  it("a permission request shows files that only its locations name, links, attachments and words behind a fence", () => {
    const lines = (call: object): readonly string[] =>
      new ConversationRenderer(piped)
        .propose({ toolCallId: "1", title: "Write file", ...call }, 0, "/p")
        .printed.slice(1);
    const locations = [{ path: "/etc/passwd" }, { path: "/etc/shadow" }];
    assert.deepEqual(lines({ kind: "edit", locations }), ["  /etc/passwd", "  /etc/shadow"]);
    assert.deepEqual(lines({ title: "Write a.ts", locations: [{ path: "/p/a.ts" }] }), []);
    const link = { type: "resource_link", uri: "file:///etc/passwd", name: "notes" } as const;
    const resource = { type: "resource", resource: { uri: "file:///p/x", text: "rm -rf ~" } } as const;
    const image = { type: "image", data: "", mimeType: "image/png" } as const;
    assert.deepEqual(lines({ content: [link, resource, image].map((one) => toolContent.block(one)) }), [
      "  file:///etc/passwd",
      "  file:///p/x",
      "  rm -rf ~",
      "  (image, not shown here)",
    ]);
    const hidden = "```sh rm -rf ~\nls\n```";
    assert.match(lines({ content: [toolContent.block(hidden)] }).join("\n"), /rm -rf ~/);
  });

  it("a permission request about several files names each above its own diffs", () => {
    const content = [
      toolContent.diff("/p/a.ts", "1\n", "2\n"),
      toolContent.diff("/p/a.ts", "3\n", "4\n"),
      toolContent.diff("/home/b", null, "5\n"),
    ];
    const asked = { toolCallId: "1", title: "Edit a.ts and /home/b", kind: "edit", content } as const;
    const { printed } = new ConversationRenderer(piped).propose(asked, 0, "/p");
    assert.deepEqual(
      printed.filter((line) => line.includes("/")),
      ["? Edit a.ts and /home/b", "  /p/a.ts", "  /home/b"],
    );
    assert.match(printed.at(-1) ?? "", /5/);
    assert.equal(printed.at(-2), "  /home/b");
  });

  it("a diff has the line numbers of the old and the new file, and a mark between two of its places", () => {
    const content = [toolContent.diff("/p/a", "1\nold\n", "1\nnew\nmore\n"), toolContent.diff("/p/a", "x\n", "y\n")];
    const locations = [
      { path: "/p/a", line: 40 },
      { path: "/p/a", line: 101 },
    ];
    const rawInput = { file_path: "/p/a", old_string: "old", new_string: "new", replace_all: true };
    const asked = { toolCallId: "1", title: "Edit a (in all 2 places)", kind: "edit", content, locations } as const;
    const lines = (columns: number): readonly string[] =>
      new ConversationRenderer({ ...piped, columns: () => columns }).propose({ ...asked, rawInput }, 0, "/p").printed;
    assert.deepEqual(lines(80), [
      "? Edit a (in all 2 places)",
      "   39   39   1",
      "   40      - old",
      "        40 + new",
      "        41 + more",
      "    …",
      "  100      - x",
      "       101 + y",
    ]);
    assert.deepEqual(lines(40).slice(1, 4), ["   39   1", "   40 - old", "   40 + new"]);
  });

  it("a plan that was not approved and answers of the user are Markdown, and answers to a form are printed once", () => {
    const story = new ConversationRenderer(coloured);
    const call = { toolCallId: "1", status: "failed", kind: "switch_mode", title: "Plan not approved" } as const;
    const plan = told(story, update.toolCall({ ...call, content: [toolContent.block("# Plan\n\n1. **Add** it")] }));
    assert.doesNotMatch(plan.join("\n"), /#|\*\*/);
    const rawInput = { questions: [{ question: "Why?" }] };
    const answers = {
      status: "completed",
      title: "Why?",
      rawInput,
      content: [toolContent.block("**Why?**\nSo.")],
    } as const;
    const asked = told(story, update.toolCall({ ...answers, toolCallId: "2" }));
    assert.match(asked.join("\n"), /Why\?[^*]*So\.$/);
    story.answered("3");
    assert.deepEqual(told(story, update.toolCall({ ...answers, toolCallId: "3" })), []);
  });

  it("the input of a call is remembered until the user is asked about it", () => {
    const story = new ConversationRenderer(piped);
    told(story, update.toolCall({ toolCallId: "1", title: "Run", kind: "execute", rawInput: { command: "rm x" } }));
    assert.deepEqual(story.propose({ toolCallId: "1" }, 0, "/p").printed, ["? Run", "  command: rm x"]);
  });

  it("the plan is live while entries are open and is printed once it is done", () => {
    const story = new ConversationRenderer(bare);
    assert.deepEqual(told(story, update.plan([planEntry("One", "completed"), planEntry("Two", "in_progress")])), []);
    assert.deepEqual(story.live("*", 0), ["", "  ✓ One", "  ◐ Two"]);
    const done = update.plan([planEntry("One", "completed"), planEntry("Two", "completed")]);
    assert.deepEqual(told(story, done), ["  ✓ One", "  ✓ Two"]);
    assert.deepEqual([...story.live("*", 0), ...story.end()], []);
  });

  it("without live lines only changed entries of the plan are printed", () => {
    const story = new ConversationRenderer(piped);
    const first = update.plan([planEntry("One", "in_progress"), planEntry("Two", "pending")]);
    assert.deepEqual(told(story, first), ["  ◐ One", "  ○ Two"]);
    assert.deepEqual(told(story, first), []);
    const then = update.plan([planEntry("One", "completed"), planEntry("Two", "pending")]);
    assert.deepEqual(told(story, then), ["  ✓ One"]);
  });

  it("a call that runs on after its turn is printed as running, and again when it ends", () => {
    const story = new ConversationRenderer(bare);
    told(story, update.toolCall({ toolCallId: "1", title: "sleep", status: "in_progress" }));
    assert.deepEqual(story.end(), ["◐ sleep"]);
    assert.deepEqual(story.live("*", 0), []);
    assert.deepEqual(told(story, update.toolCallUpdate({ toolCallId: "1", status: "completed" })), ["✓ sleep"]);
  });

  it("sections are separated by an empty line, and one-line calls are not", () => {
    const call = (toolCallId: string): SessionUpdate =>
      update.toolCall({ toolCallId, title: `Read ${toolCallId}`, kind: "read", status: "completed" });
    const story = new ConversationRenderer(bare);
    const lines = [
      ...told(story, update.agentMessage("Hello.\n"), call("1"), call("2"), update.agentMessage("Bye.")),
      ...story.end(),
    ];
    assert.deepEqual(lines, ["Hello.", "", "✓ Read 1", "✓ Read 2", "", "Bye."]);
  });

  it("a line without an end is printed once it reaches its limit", () => {
    const story = new ConversationRenderer(piped);
    const lines = Array.from({ length: 100 }).flatMap(() => story.take(update.agentMessage("x".repeat(1000)), 0));
    assert.ok(lines.length > 5);
    assert.ok(story.live("*", 0).join("").length <= 9000);
  });

  it("escape sequences in any field of an update are not printed", () => {
    for (const text of hostileTexts) {
      const story = new ConversationRenderer(bare);
      const content = [toolContent.block(text), toolContent.diff(`/${text}`, text, `${text}x`)];
      const lines = [
        ...story.prompt(text),
        ...told(story, update.agentThought(text), update.plan([planEntry(text, "pending")]), update.agentMessage(text)),
        ...story.live("*", 0),
        ...told(
          story,
          update.toolCall({ toolCallId: text, title: text, kind: "execute", status: "in_progress", content }),
        ),
        ...story.live("*", 0),
        ...story.propose({ toolCallId: "2", title: text, content, rawInput: { [text]: text, more: [text] } }, 0, "/p")
          .printed,
        ...told(story, update.toolCallUpdate({ toolCallId: text, status: "failed", content })),
        ...story.notice(text),
        ...story.end(),
      ];
      for (const line of lines) assert.doesNotMatch(line, new RegExp(`${obeyed.source}|\n`, "u"), JSON.stringify(line));
    }
  });
});

describe("duration", () => {
  it("a duration is shown in its two largest units", () => {
    assert.deepEqual([400, 59_400, 61_000, 3_661_000].map(duration), ["0s", "59s", "1m 1s", "1h 1m"]);
  });
});
