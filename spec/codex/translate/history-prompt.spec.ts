/**
 * The prompts of a saved thread.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SessionUpdate } from "../../../lib/acp/index.ts";
import { CodexTurn } from "../../../lib/codex/protocol/index.ts";
import { foldHistory, planQuestion } from "../../../lib/codex/translate/index.ts";
import { Fault } from "../../../lib/schema/index.ts";
import { CodexHarness, command, started } from "../../support/codex/harness.ts";

describe("the history of a thread", () => {
  it("a prompt is shown with its pictures and links, under the id that the client gave it", () => {
    const content = [
      { type: "text", text: "Look" },
      { type: "image", url: "data:image/png;base64,QUJD" },
      { type: "localImage", path: "/a b/c.png" },
      { type: "newThing" },
    ];
    const updates = history([{ type: "userMessage", id: "u-1", clientId: "mine", content }]);
    for (const one of updates) assert.equal(SessionUpdate.read(one), one);
    assert.deepEqual(
      updates.map((one) => one.sessionUpdate === "user_message_chunk" && [one.messageId, one.content]),
      [
        ["mine", { type: "text", text: "Look" }],
        ["mine", { type: "image", data: "QUJD", mimeType: "image/png" }],
        ["mine", { type: "resource_link", uri: "file:///a%20b/c.png", name: "c.png" }],
      ],
    );
  });

  it("a live echo of a prompt is not shown", () => {
    const item = { type: "userMessage", id: "u-1", content: [{ type: "text", text: "Look" }] };
    assert.deepEqual(new CodexHarness().take(started(item)), []);
  });

  it("a command that was cut off is closed with its turn", () => {
    const updates = history([{ ...command("ls"), id: "call-1" }], "interrupted");
    const end = updates.at(-1);
    assert.ok(end?.sessionUpdate === "tool_call_update" && end.status === "failed");
  });

  it("an agent of a finished turn has finished, although its report is not saved", () => {
    const agent = {
      type: "subAgentActivity",
      id: "a-1",
      kind: "started",
      agentThreadId: "child",
      agentPath: "/root/x",
    };
    const end = history([agent]).at(-1);
    assert.ok(end?.sessionUpdate === "tool_call_update" && end.status === "completed");
  });

  it("a plan of the history is shown without a question", () => {
    const codex = new CodexHarness();
    history([{ type: "plan", id: "p-1", text: "1. Do it" }], "completed", codex);
    assert.equal(planQuestion(codex.state), undefined);
  });
});

function history(items: readonly object[], status = "completed", codex = new CodexHarness()): readonly SessionUpdate[] {
  const turn = CodexTurn.read({ id: "turn-1", status, items });
  assert.ok(!(turn instanceof Fault));
  return foldHistory(codex.state, turn);
}
