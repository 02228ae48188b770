/**
 * Story: updates as lines for good, and what is live meanwhile.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SessionUpdate, planEntry, toolContent, update } from "../../../../lib/acp/index.ts";
import { duration, ConversationRenderer } from "../../../../lib/program/chat/render/conversation-renderer.ts";
import { bare, piped } from "../../../support/program/chat/themes.ts";
import { hostileTexts, obeyed } from "../../../support/program/chat/hostile-texts.ts";

function told(story: ConversationRenderer, ...updates: readonly SessionUpdate[]): readonly string[] {
  return updates.flatMap((one) => story.take(one, 0));
}

const diff = toolContent.diff("/project/a", "old\n", "new\n");

describe("Story", () => {
  it("keeps a line live until it is whole", () => {
    const story = new ConversationRenderer(bare);
    assert.deepEqual(told(story, update.agentMessage("One li")), []);
    assert.deepEqual(story.live("*", 0), ["One li"]);
    assert.deepEqual(told(story, update.agentMessage("ne.\nTwo")), ["One line."]);
    assert.deepEqual(story.live("*", 0), ["Two"]);
    assert.deepEqual(story.end(), ["Two"]);
    assert.deepEqual(story.live("*", 0), []);
  });

  it("says the same whatever the pieces were", () => {
    const text = "# A\n\nOne **two** three.\r\n\n```\ncode\n```\n- end";
    const whole = new ConversationRenderer(bare);
    const expected = [...told(whole, update.agentMessage(text)), ...whole.end()];
    const story = new ConversationRenderer(bare);
    const pieces = text.split("").map((character) => update.agentMessage(character));
    assert.deepEqual([...told(story, ...pieces), ...story.end()], expected);
  });

  it("folds a thought into a line, or shows it whole", () => {
    const thought = `${"deep ".repeat(30)}\nend`;
    const [line = ""] = [
      ...told(new ConversationRenderer(bare), update.agentThought(thought), update.agentMessage("x\n")),
    ];
    assert.match(line, /^✻ deep deep .*…$/);
    assert.ok(line.length <= 60);
    const story = new ConversationRenderer({ ...bare, showsThoughts: true });
    assert.match([...told(story, update.agentThought(thought)), ...story.flush()].join("\n"), /^✻ (?:deep\s+)+end$/);
  });

  it("shows a call live, then for good with its mark and what it did", () => {
    const story = new ConversationRenderer(bare);
    const call = { toolCallId: "1", title: "Edit a", kind: "edit", content: [diff] } as const;
    assert.deepEqual(told(story, update.toolCall({ ...call, status: "in_progress" })), []);
    assert.deepEqual(story.live("*", 5000), ["", "* Edit a 5s"]);
    const done = update.toolCallUpdate({ toolCallId: "1", status: "completed" });
    assert.deepEqual(told(story, done), ["✓ Edit a", "    1 - old", "    1 + new"]);
    assert.deepEqual(told(story, done), [], "a late word opens nothing");
  });

  it("counts what was read, and shows the end of what a command said", () => {
    const story = new ConversationRenderer(bare);
    const text = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join("\n");
    const content = [toolContent.block(`\`\`\`console\n${text}\n\`\`\``)];
    const read = update.toolCall({ toolCallId: "1", title: "Read a", kind: "read", status: "completed", content });
    assert.deepEqual(told(story, read), ["✓ Read a  30 lines"]);
    const run = update.toolCall({ toolCallId: "2", title: "seq", kind: "execute", status: "completed", content });
    const lines = told(story, run);
    assert.deepEqual([lines[1], lines[2], lines.at(-1)], ["✓ seq", "  … 18 more lines", "  line 30"]);
  });

  it("bounds a diff and says how much is left out", () => {
    const content = [toolContent.diff("/a", null, "x\n".repeat(100))];
    const lines = told(
      new ConversationRenderer(bare),
      update.toolCall({ toolCallId: "1", title: "Write", status: "completed", content }),
    );
    assert.equal(lines.at(-1), "  … 60 more lines");
    assert.equal(lines.length, 42);
  });

  it("shows what a question is about once, whole, from its start", () => {
    const story = new ConversationRenderer(bare);
    const command = `echo ${"a".repeat(80)}; rm -rf ~`;
    const content = [toolContent.block(`\`\`\`sh\n${command}\n\`\`\``)];
    const asked = { toolCallId: "1", title: "echo a…", kind: "execute", content } as const;
    const lines = story.propose(asked, 0).printed;
    assert.equal(lines[0], "? echo a…");
    assert.equal(lines.slice(1).join("").replaceAll(/\s/g, ""), command.replaceAll(/\s/g, ""));
    assert.deepEqual(story.live("*", 0), [], "nothing runs while it is asked");
    const other = new ConversationRenderer(bare);
    const edit = { toolCallId: "1", title: "Edit", kind: "edit", content: [diff] } as const;
    assert.equal(other.propose(edit, 0).printed.length, 3);
    assert.deepEqual(told(other, update.toolCallUpdate({ toolCallId: "1", status: "completed" })), ["✓ Edit"]);
  });

  it("keeps the plan in sight and tells it once it is done", () => {
    const story = new ConversationRenderer(bare);
    assert.deepEqual(told(story, update.plan([planEntry("One", "completed"), planEntry("Two", "in_progress")])), []);
    assert.deepEqual(story.live("*", 0), ["", "  ✓ One", "  ◐ Two"]);
    const done = update.plan([planEntry("One", "completed"), planEntry("Two", "completed")]);
    assert.deepEqual(told(story, done), ["  ✓ One", "  ✓ Two"]);
    assert.deepEqual([...story.live("*", 0), ...story.end()], []);
  });

  it("tells what changed in the plan where nothing can be live", () => {
    const story = new ConversationRenderer(piped);
    const first = update.plan([planEntry("One", "in_progress"), planEntry("Two", "pending")]);
    assert.deepEqual(told(story, first), ["  ◐ One", "  ○ Two"]);
    assert.deepEqual(told(story, first), []);
    const then = update.plan([planEntry("One", "completed"), planEntry("Two", "pending")]);
    assert.deepEqual(told(story, then), ["  ✓ One"]);
  });

  it("leaves no call open at the end of a turn, and tells its end when it comes", () => {
    const story = new ConversationRenderer(bare);
    told(story, update.toolCall({ toolCallId: "1", title: "sleep", status: "in_progress" }));
    assert.deepEqual(story.end(), ["◐ sleep"]);
    assert.deepEqual(story.live("*", 0), []);
    assert.deepEqual(told(story, update.toolCallUpdate({ toolCallId: "1", status: "completed" })), ["✓ sleep"]);
  });

  it("sets sections apart and keeps short calls together", () => {
    const call = (toolCallId: string): SessionUpdate =>
      update.toolCall({ toolCallId, title: `Read ${toolCallId}`, kind: "read", status: "completed" });
    const story = new ConversationRenderer(bare);
    const lines = [
      ...told(story, update.agentMessage("Hello.\n"), call("1"), call("2"), update.agentMessage("Bye.")),
      ...story.end(),
    ];
    assert.deepEqual(lines, ["Hello.", "", "✓ Read 1", "✓ Read 2", "", "Bye."]);
  });

  it("bounds a line that nobody ends", () => {
    const story = new ConversationRenderer(piped);
    const lines = Array.from({ length: 100 }).flatMap(() => story.take(update.agentMessage("x".repeat(1000)), 0));
    assert.ok(lines.length > 5);
    assert.ok(story.live("*", 0).join("").length <= 9000);
  });

  it("obeys no text, wherever it comes", () => {
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
        ...story.propose({ toolCallId: "2", title: text, content }, 0).printed,
        ...told(story, update.toolCallUpdate({ toolCallId: text, status: "failed", content })),
        ...story.notice(text),
        ...story.end(),
      ];
      for (const line of lines) assert.doesNotMatch(line, new RegExp(`${obeyed.source}|\n`, "u"), JSON.stringify(line));
    }
  });
});

describe("duration", () => {
  it("is told in the two units a person would use", () => {
    assert.deepEqual([400, 59_400, 61_000, 3_661_000].map(duration), ["0s", "59s", "1m 1s", "1h 1m"]);
  });
});
