/**
 * Specs of the colours of engine names in a session with both engines.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { update } from "../../../../lib/acp/index.ts";
import { textStyle } from "../../../../lib/program/ansi.ts";
import { ConversationRenderer } from "../../../../lib/program/chat/render/conversation-renderer.ts";

function rendered(text: string, isColoured: boolean): readonly string[] {
  const theme = { paint: textStyle(isColoured), columns: () => 80, isLive: false, showsThoughts: false };
  const renderer = new ConversationRenderer(theme);
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
});
