/**
 * Specs of the settings of a Codex conversation: choices of the user and late reports of Codex.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConversationSettings } from "../../../../lib/codex/engine/settings/conversation-settings.ts";

const efforts = [{ reasoningEffort: "low" }, { reasoningEffort: "high" }];

function opened(): ConversationSettings {
  const settings = new ConversationSettings({}, []);
  settings.setModels(
    ["gpt-a", "gpt-b"].map((model) => ({
      model,
      supportedReasoningEfforts: efforts,
      defaultReasoningEffort: "low",
    })),
  );
  settings.onUpdated({
    model: "gpt-a",
    effort: "low",
    approvalPolicy: "on-request",
    sandboxPolicy: { type: "readOnly" },
  });
  return settings;
}

function chosen({ state: { mode, model, effort } }: ConversationSettings): readonly string[] {
  return [mode, model, effort];
}

describe("ConversationSettings", () => {
  it("the report of a choice that comes after the next choice changes nothing", () => {
    const settings = opened();
    settings.choose("model", "gpt-b");
    settings.choose("effort", "high");
    assert.equal(settings.onUpdated({ model: "gpt-b", effort: "low" }), false);
    assert.deepEqual(chosen(settings), ["default", "gpt-b", "high"]);
    assert.equal(settings.onUpdated({ model: "gpt-b", effort: "high" }), false);
    assert.deepEqual(chosen(settings), ["default", "gpt-b", "high"]);
  });

  it("a report of settings that the user did not choose is applied, before and after the report of a choice", () => {
    const settings = opened();
    settings.choose("effort", "high");
    assert.equal(settings.onUpdated({ model: "gpt-b", effort: "low" }), true);
    assert.deepEqual(chosen(settings), ["default", "gpt-b", "low"]);
    settings.choose("effort", "high");
    assert.equal(settings.onUpdated({ model: "gpt-b", effort: "high" }), false);
    assert.equal(settings.onUpdated({ model: "gpt-a", effort: "low" }), true);
    assert.deepEqual(chosen(settings), ["default", "gpt-a", "low"]);
  });

  it("a choice that Codex never reports does not hide the report of a later one", () => {
    const settings = opened();
    settings.choose("effort", "low");
    settings.choose("effort", "high");
    settings.onUpdated({ effort: "high" });
    assert.equal(settings.onUpdated({ effort: "low" }), true);
    assert.deepEqual(chosen(settings), ["default", "gpt-a", "low"]);
  });

  it("the report of what the thread was opened with does not undo a choice that was made before it came", () => {
    const settings = opened();
    const sandbox = { type: "workspaceWrite" } as const;
    const start = { model: "gpt-a", approvalPolicy: "on-request", sandbox, reasoningEffort: "low" };
    settings.onOpened({ ...start, thread: { id: "t" } });
    settings.choose("model", "gpt-b");
    assert.equal(settings.onUpdated({ model: "gpt-a", effort: "low", sandboxPolicy: sandbox }), false);
    assert.deepEqual(chosen(settings), ["acceptEdits", "gpt-b", "low"]);
    assert.equal(settings.onUpdated({ model: "gpt-b", effort: "low" }), false);
    assert.equal(settings.onUpdated({ model: "gpt-a", effort: "low" }), true);
  });
});
