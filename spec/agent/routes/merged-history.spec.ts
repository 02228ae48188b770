import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SessionUpdate, update } from "../../../lib/acp/index.ts";
import { followUp, mergedHistory } from "../../../lib/agent/routes/merged-history.ts";

const turn = (prompt: string, ...answers: readonly string[]): readonly SessionUpdate[] => [
  update.userMessage(prompt),
  ...answers.map((text) => update.agentMessage(text)),
];
const texts = (updates: readonly SessionUpdate[]): readonly string[] =>
  updates.flatMap((one) =>
    "content" in one && !Array.isArray(one.content) && one.content && "text" in one.content
      ? [String(one.content.text)]
      : [],
  );

describe("mergedHistory", () => {
  const parts = new Map([
    ["claude", [...turn("1", "a", "b"), ...turn("3", "c"), ...turn("4", "e")]],
    ["codex", [...turn("2", "x"), ...turn("3", "y")]],
  ]);

  it("turns of two engines are shown in their order, and the prompt of a duet once", () => {
    const turns = ["claude", "codex", "claude", followUp("codex"), "claude"];
    assert.deepEqual(texts(mergedHistory(parts, turns)), ["1", "a", "b", "2", "x", "3", "c", "y", "4", "e"]);
  });

  it("turns that are not listed come last, and turns that are gone are left out", () => {
    assert.deepEqual(texts(mergedHistory(parts, ["codex"])), ["2", "x", "1", "a", "b", "3", "c", "4", "e", "3", "y"]);
    assert.deepEqual(texts(mergedHistory(new Map(), ["claude", "codex"])), []);
  });
});
