/**
 * Specs of `ConversationId`: the CLI may give a conversation another id.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConversationId } from "../../../../lib/claude/engine/saved/conversation-id.ts";
import type { ConversationTarget, SystemInit } from "../../../../lib/claude/index.ts";

const init = (session_id?: string): SystemInit => ({ type: "system", subtype: "init", session_id }) as SystemInit;

describe("ConversationId", () => {
  const cases: readonly (readonly [string, ConversationTarget, string])[] = [
    ["a new conversation", { kind: "new", id: "a" }, "a"],
    ["a saved conversation", { kind: "resume", id: "a" }, "a"],
    ["a fork", { kind: "resume", id: "a", forkTo: "b" }, "b"],
  ];
  for (const [what, target, id] of cases) {
    it(`${what} keeps its target until the first turn and is then resumed by the CLI's id`, () => {
      const conversation = new ConversationId(target);
      assert.equal(conversation.sessionId, id);
      assert.deepEqual(conversation.target, target, "a second start before the first turn");
      conversation.update(init());
      assert.deepEqual(conversation.target, { kind: "resume", id });
      conversation.update(init("cleared"));
      assert.deepEqual(conversation.target, { kind: "resume", id: "cleared" });
      assert.deepEqual([conversation.sessionId, conversation.conversationId], [id, "cleared"]);
    });
  }

  it("an unsaved conversation is started with its original target again", () => {
    const conversation = new ConversationId({ kind: "resume", id: "a", forkTo: "b" });
    conversation.update(init("b"));
    conversation.markUnsaved();
    assert.deepEqual(conversation.target, { kind: "resume", id: "a", forkTo: "b" });
  });
});
