/**
 * `system` events of the CLI as session updates.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionUpdate } from "../../../lib/acp/index.ts";
import { TranslatorHarness } from "../../support/translate/cli-events.ts";

const system = (subtype: string, more: object): object => ({ type: "system", subtype, uuid: "u1", ...more });

function shown(updates: readonly SessionUpdate[]): readonly string[] {
  return updates.map((one) => {
    if (one.sessionUpdate === "notice")
      return `${one.severity}: ${one.title}${one.description == null ? "" : ` | ${one.description}`}`;
    if (one.sessionUpdate === "compaction_update")
      return `${one.sessionUpdate} ${one.compactionId} ${one.status} ${one.error ?? ""}`.trim();
    if ("content" in one && one.content != null && "text" in one.content)
      return `${one.sessionUpdate} ${JSON.stringify(one.content.text)}`;
    return one.sessionUpdate;
  });
}

describe("notices", () => {
  const retry = system("api_retry", { attempt: 2, max_retries: 10, retry_delay_ms: 1400, error: "overloaded" });

  it("a notice of the CLI is a notice update for a client that shows notices", () => {
    assert.deepEqual(shown(new TranslatorHarness({ showsNotices: true }).take(retry)), [
      "info: The API is overloaded, trying again in 1 s (attempt 2 of 10).",
    ]);
  });

  it("a notice is a thought, or a message when it is a warning, for a client without notices", () => {
    assert.deepEqual(shown(new TranslatorHarness().take(retry)), [
      'agent_thought_chunk "The API is overloaded, trying again in 1 s (attempt 2 of 10).\\n"',
    ]);
    const switched = system("model_fallback", { content: "Switched to Sonnet" });
    assert.deepEqual(shown(new TranslatorHarness().take(switched)), [
      'agent_message_chunk "\\nSwitched to Sonnet\\n\\n"',
    ]);
  });

  it("the first sentence of a notice is its title", () => {
    const flagged = system("model_refusal_fallback", {
      content: "It was flagged. Opus answers instead.\n\nDetails: x",
    });
    assert.deepEqual(shown(new TranslatorHarness({ showsNotices: true }).take(flagged)), [
      "warning: It was flagged. | Opus answers instead.\n\nDetails: x",
    ]);
  });

  it("a notice keeps the level of the CLI", () => {
    const translator = new TranslatorHarness({ showsNotices: true });
    assert.deepEqual(shown(translator.take(system("informational", { content: "Careful", level: "warning" }))), [
      "warning: Careful",
    ]);
    assert.deepEqual(shown(translator.take(system("informational", { content: "Note", level: "notice" }))), [
      "info: Note",
    ]);
    assert.deepEqual(shown(translator.take(system("notification", { text: "Now", priority: "immediate" }))), [
      "warning: Now",
    ]);
    assert.deepEqual(shown(translator.take(system("session_writes_lost", {}))), [
      "warning: Part of this conversation could not be saved to disk.",
    ]);
  });

  it("an empty notice is not shown", () => {
    const empty = [
      system("informational", { content: " " }),
      system("notification", { text: "" }),
      system("local_command_output", { content: "\n" }),
    ];
    assert.deepEqual(new TranslatorHarness().take(...empty, system("model_fallback", {})), []);
  });

  it("an API retry because of credentials shows no notice", () => {
    assert.deepEqual(
      new TranslatorHarness().take(system("api_retry", { attempt: 1, error: "authentication_failed" })),
      [],
    );
  });
});

describe("compaction", () => {
  const compacting = system("status", { status: "compacting" });
  const boundary = { ...system("compact_boundary", {}), uuid: "u2" };
  const failed = system("status", { status: null, compact_result: "failed", compact_error: "Not enough messages" });

  it("a compaction has the same id from its start to its end", () => {
    assert.deepEqual(shown(new TranslatorHarness({ showsCompaction: true }).take(compacting, compacting, boundary)), [
      "compaction_update u1 in_progress",
      "compaction_update u1 completed",
    ]);
  });

  it("a failed compaction says why it failed", () => {
    assert.deepEqual(shown(new TranslatorHarness({ showsCompaction: true }).take(compacting, failed)), [
      "compaction_update u1 in_progress",
      "compaction_update u1 failed Not enough messages",
    ]);
    assert.deepEqual(shown(new TranslatorHarness().take(failed)), []);
  });

  it("a compaction is a notice for a client that does not show compactions", () => {
    assert.deepEqual(shown(new TranslatorHarness().take(compacting, boundary)), [
      'agent_thought_chunk "Compacting the conversation…\\n"',
      'agent_thought_chunk "The conversation was compacted.\\n"',
    ]);
  });
});

describe("other system events", () => {
  it("session_title_changed updates the title of the session", () => {
    const updates = new TranslatorHarness().take(
      system("session_title_changed", { title: "A name" }),
      system("session_title_changed", {}),
    );
    assert.deepEqual(
      updates.map((one) => one.sessionUpdate === "session_info_update" && one.title),
      ["A name", null],
    );
  });

  it("local_command_output shows the output of a slash command", () => {
    assert.deepEqual(shown(new TranslatorHarness().take(system("local_command_output", { content: " Cost: $1\n" }))), [
      'agent_message_chunk "Cost: $1\\n"',
    ]);
  });

  it("a system event without a translation produces no update", () => {
    const quiet = [
      "init",
      "hook_started",
      "hook_response",
      "thinking_tokens",
      "session_state_changed",
      "turn_duration",
      "ui_invalidate",
      "never_heard_of",
      "constructor",
      "__proto__",
    ];
    assert.deepEqual(new TranslatorHarness().take(...quiet.map((subtype) => system(subtype, { state: "idle" }))), []);
  });
});
