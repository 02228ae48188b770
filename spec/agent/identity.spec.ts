import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Identity } from "../../lib/agent/identity.ts";
import type { SessionChoice, SystemInit } from "../../lib/claude/index.ts";

const init = (session_id?: string): SystemInit => ({ type: "system", subtype: "init", session_id }) as SystemInit;

describe("Identity", () => {
  const cases: readonly (readonly [string, SessionChoice, string])[] = [
    ["a new conversation", { kind: "new", id: "a" }, "a"],
    ["one from disk", { kind: "resume", id: "a" }, "a"],
    ["a copy", { kind: "resume", id: "a", forkTo: "b" }, "b"],
  ];
  for (const [what, choice, id] of cases) {
    it(`of ${what} begins as it was chosen and goes on under the CLI's name`, () => {
      const identity = new Identity(choice);
      assert.equal(identity.sessionId, id);
      assert.deepEqual(identity.choice, choice, "a second start before the first turn");
      identity.heed(init());
      assert.deepEqual(identity.choice, { kind: "resume", id });
      identity.heed(init("cleared"));
      assert.deepEqual(identity.choice, { kind: "resume", id: "cleared" });
      assert.deepEqual([identity.sessionId, identity.conversationId], [id, "cleared"]);
    });
  }

  it("begins again when nothing was written down", () => {
    const identity = new Identity({ kind: "resume", id: "a", forkTo: "b" });
    identity.heed(init("b"));
    identity.forget();
    assert.deepEqual([identity.isOnDisk, identity.choice], [false, { kind: "resume", id: "a", forkTo: "b" }]);
  });
});
