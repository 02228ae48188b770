/**
 * `readOutcome`: the result of a tool call as it is shown to the user.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ToolResultMeta } from "../../../lib/claude/index.ts";
import { type Outcome, readOutcome } from "../../../lib/claude/translate/tool-outcome.ts";

function outcomeOf(content: string, meta?: ToolResultMeta): Outcome {
  return readOutcome(
    { type: "tool_result", tool_use_id: "call-1", content, is_error: meta !== undefined },
    undefined,
    meta,
  );
}

describe("readOutcome", () => {
  const modelText = "The user doesn't want to proceed with this tool use. STOP what you are doing and wait.";
  const rows: readonly (readonly [ToolResultMeta, string])[] = [
    [{ non_execution_kind: "user-rejected", permission_decision: { source: "user_reject" } }, "Rejected."],
    [
      { non_execution_kind: "permission-rule", permission_decision: { reason_type: "mode" } },
      "Not allowed in this mode.",
    ],
    [
      { non_execution_kind: "permission-rule", permission_decision: { reason_type: "rule" } },
      "Not allowed by a permission rule.",
    ],
    [{ non_execution_kind: "user-rejected" }, "Cancelled."],
    [{ non_execution_kind: "interrupted" }, "Cancelled."],
    [{ non_execution_kind: "cancelled" }, "Cancelled."],
    [{ non_execution_kind: "something-new" }, modelText],
  ];
  for (const [meta, words] of rows) {
    it(`readOutcome says "${words.slice(0, 40)}" for ${JSON.stringify(meta)}`, () => {
      const outcome = outcomeOf(modelText, meta);
      assert.equal(outcome.text, words);
      assert.equal(outcome.notRun, words);
      assert.equal(outcome.isError, true);
    });
  }

  it("readOutcome says that the permission request was not answered when it failed", () => {
    const meta = { non_execution_kind: "permission-denied", permission_decision: { source: "host" } };
    assert.equal(
      outcomeOf("Tool permission request failed: Error", meta).text,
      "Not allowed: the permission request was not answered.",
    );
  });

  it("readOutcome keeps the text of a call that ran", () => {
    const outcome = outcomeOf("out");
    assert.deepEqual([outcome.text, outcome.notRun, outcome.isError], ["out", undefined, false]);
  });

  it("readOutcome keeps images and names documents", () => {
    const source = { type: "base64", media_type: "application/pdf", data: "AA==" };
    const { blocks, text } = readOutcome(
      {
        type: "tool_result",
        tool_use_id: "call-1",
        content: [
          { type: "text", text: "one <system-reminder>two</system-reminder>" },
          { type: "document", source, title: "Paper" },
          { type: "tool_reference", tool_name: "CronList" },
          { type: "image", source: { type: "url", url: "https://a.example" } },
        ],
      },
      undefined,
      undefined,
    );
    assert.equal(text, "one\n[Paper: application/pdf]\nCronList");
    assert.equal(blocks.length, 3);
  });

  it("readOutcome takes a structured result only when it is an object", () => {
    const result = { type: "tool_result", tool_use_id: "c", content: "x" } as const;
    assert.equal(readOutcome(result, "Error: x", undefined).structured, undefined);
    assert.deepEqual(readOutcome(result, { a: 1 }, undefined).structured, { a: 1 });
  });
});
