/**
 * Outcome: what became of a call, in words for people.
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
  const told = "The user doesn't want to proceed with this tool use. STOP what you are doing and wait.";
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
    [{ non_execution_kind: "something-new" }, told],
  ];
  for (const [meta, words] of rows) {
    it(`says "${words.slice(0, 40)}" of ${JSON.stringify(meta)}`, () => {
      const outcome = outcomeOf(told, meta);
      assert.equal(outcome.text, words);
      assert.equal(outcome.notRun, words);
      assert.equal(outcome.isError, true);
    });
  }

  it("says that nobody answered when the question failed", () => {
    const meta = { non_execution_kind: "permission-denied", permission_decision: { source: "host" } };
    assert.equal(outcomeOf("Tool permission request failed: Error", meta).text, "Not allowed: nobody answered.");
  });

  it("leaves a call that ran to its own words", () => {
    const outcome = outcomeOf("out");
    assert.deepEqual([outcome.text, outcome.notRun, outcome.isError], ["out", undefined, false]);
  });

  it("keeps images and names documents", () => {
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

  it("takes a structured answer only when it is one", () => {
    const result = { type: "tool_result", tool_use_id: "c", content: "x" } as const;
    assert.equal(readOutcome(result, "Error: x", undefined).structured, undefined);
    assert.deepEqual(readOutcome(result, { a: 1 }, undefined).structured, { a: 1 });
  });
});
