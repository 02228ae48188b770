import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConversationId } from "../../../lib/agent/session/conversation-id.ts";
import type { ConversationTarget, SystemInit } from "../../../lib/claude/index.ts";

const init = (session_id?: string): SystemInit => ({ type: "system", subtype: "init", session_id }) as SystemInit;

describe("ConversationId", () => {
  const cases: readonly (readonly [string, ConversationTarget, string])[] = [
    ["a new conversation", { kind: "new", id: "a" }, "a"],
    ["a saved conversation", { kind: "resume", id: "a" }, "a"],
    ["a fork", { kind: "resume", id: "a", forkTo: "b" }, "b"],
  ];
  for (const [what, choice, id] of cases) {
    it(`${what} keeps its target until the first turn and is then resumed by the CLI's id`, () => {
      const identity = new ConversationId(choice);
      assert.equal(identity.sessionId, id);
      assert.deepEqual(identity.target, choice, "a second start before the first turn");
      identity.update(init());
      assert.deepEqual(identity.target, { kind: "resume", id });
      identity.update(init("cleared"));
      assert.deepEqual(identity.target, { kind: "resume", id: "cleared" });
      assert.deepEqual([identity.sessionId, identity.conversationId], [id, "cleared"]);
    });
  }

  it("an unsaved conversation is started with its original target again", () => {
    const identity = new ConversationId({ kind: "resume", id: "a", forkTo: "b" });
    identity.update(init("b"));
    identity.markUnsaved();
    assert.deepEqual(identity.target, { kind: "resume", id: "a", forkTo: "b" });
  });
});
