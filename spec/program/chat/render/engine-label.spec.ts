/**
 * Specs of the colours of engine names in a session with both engines.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { update } from "../../../../lib/acp/index.ts";
import { textStyle } from "../../../../lib/program/ansi.ts";
import { ConversationRenderer } from "../../../../lib/program/chat/render/conversation-renderer.ts";

function rendererOf(isColoured: boolean): ConversationRenderer {
  const theme = { paint: textStyle(isColoured), columns: () => 80, isLive: false, showsThoughts: false };
  return new ConversationRenderer(theme);
}

function rendered(text: string, isColoured: boolean): readonly string[] {
  const renderer = rendererOf(isColoured);
  return [...renderer.take(update.agentMessage(text), 0), ...renderer.flush()];
}

describe("engine names in the chat", () => {
  it("the names of the two engines have two colours at the beginning of a message", () => {
    const [claude = ""] = rendered("[Claude] It is safe.", true);
    const [codex = ""] = rendered("[Codex] It is not.", true);
    assert.equal(claude, "\x1b[1m\x1b[33m[Claude]\x1b[39m\x1b[22m It is safe.");
    assert.equal(codex, "\x1b[1m\x1b[34m[Codex]\x1b[39m\x1b[22m It is not.");
  });

  it("a name within a text, another name and a chat without colours stay plain", () => {
    assert.deepEqual(rendered("As [Codex] said.", true), ["As [Codex] said."]);
    assert.deepEqual(rendered("[Other] hello", true), ["[Other] hello"]);
    assert.deepEqual(rendered("[Claude] hello", false), ["[Claude] hello"]);
  });

  it("a name is on the line of the text that follows it, also after blank lines and in several chunks", () => {
    assert.deepEqual(rendered("[Claude] \n\nIt is safe.\n", false), ["[Claude] It is safe."]);
    const renderer = rendererOf(false);
    const lines = ["[Codex] ", "\n", "\nI ", "agree.\n"].flatMap((text) => renderer.take(update.agentMessage(text), 0));
    assert.deepEqual(lines, ["[Codex] I agree."]);
  });

  it("a heading, list, table or code block after a name begins on a line of its own", () => {
    assert.deepEqual(rendered("[Codex] # Done\n\nIt ties.", true).slice(1), [
      "\x1b[35m\x1b[1mDone\x1b[22m\x1b[39m",
      "",
      "It ties.",
    ]);
    assert.deepEqual(rendered("[Claude] ```ts\nlet a;\n```\nDone.", false), [
      "[Claude]",
      "```ts",
      "let a;",
      "```",
      "Done.",
    ]);
    assert.deepEqual(rendered("[Claude] - one\n- two", true).slice(1).map(unstyled), ["• one", "• two"]);
    assert.deepEqual(rendered("[Claude] | a |\n|---|\n| b |", true).map(unstyled), ["[Claude]", "a", "─", "b"]);
  });

  it("a message of a name alone prints nothing", () => {
    assert.deepEqual(rendered("[Claude] ", true), []);
  });
});

function unstyled(line: string): string {
  // oxlint-disable-next-line no-control-regex
  return line.replaceAll(/\x1b\[\d+m/g, "");
}
