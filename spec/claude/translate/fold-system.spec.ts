/**
 * System events: remarks in the form a client can show.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionUpdate } from "../../../lib/acp/index.ts";
import { oneLine, shownPath } from "../../../lib/claude/translate/index.ts";
import { absolutePath } from "../../../lib/claude/translate/client-view.ts";
import { TranslatorHarness, viewOf } from "../../support/translate/cli-events.ts";

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

describe("remarks", () => {
  const retry = system("api_retry", { attempt: 2, max_retries: 10, retry_delay_ms: 1400, error: "overloaded" });

  it("are notices for a client that shows them", () => {
    assert.deepEqual(shown(new TranslatorHarness({ showsNotices: true }).take(retry)), [
      "info: The API is overloaded, trying again in 1 s (attempt 2 of 10).",
    ]);
  });

  it("are thoughts, or words when they matter, for one that does not", () => {
    assert.deepEqual(shown(new TranslatorHarness().take(retry)), [
      'agent_thought_chunk "The API is overloaded, trying again in 1 s (attempt 2 of 10).\\n"',
    ]);
    const switched = system("model_fallback", { content: "Switched to Sonnet" });
    assert.deepEqual(shown(new TranslatorHarness().take(switched)), [
      'agent_message_chunk "\\nSwitched to Sonnet\\n\\n"',
    ]);
  });

  it("have their first sentence for a title", () => {
    const flagged = system("model_refusal_fallback", {
      content: "It was flagged. Opus answers instead.\n\nDetails: x",
    });
    assert.deepEqual(shown(new TranslatorHarness({ showsNotices: true }).take(flagged)), [
      "warning: It was flagged. | Opus answers instead.\n\nDetails: x",
    ]);
  });

  it("keep the CLI's own level", () => {
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

  it("that say nothing are not shown", () => {
    const empty = [
      system("informational", { content: " " }),
      system("notification", { text: "" }),
      system("local_command_output", { content: "\n" }),
    ];
    assert.deepEqual(new TranslatorHarness().take(...empty, system("model_fallback", {})), []);
  });

  it("about credentials are left to the error that follows", () => {
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

  it("is one update from its beginning to its end", () => {
    assert.deepEqual(shown(new TranslatorHarness({ showsCompaction: true }).take(compacting, compacting, boundary)), [
      "compaction_update u1 in_progress",
      "compaction_update u1 completed",
    ]);
  });

  it("tells why it failed", () => {
    assert.deepEqual(shown(new TranslatorHarness({ showsCompaction: true }).take(compacting, failed)), [
      "compaction_update u1 in_progress",
      "compaction_update u1 failed Not enough messages",
    ]);
    assert.deepEqual(shown(new TranslatorHarness().take(failed)), []);
  });

  it("is told in words where the client has no update for it", () => {
    assert.deepEqual(shown(new TranslatorHarness().take(compacting, boundary)), [
      'agent_thought_chunk "Compacting the conversation…\\n"',
      'agent_thought_chunk "The conversation was compacted.\\n"',
    ]);
  });
});

describe("other system events", () => {
  it("give a title to the session", () => {
    const updates = new TranslatorHarness().take(
      system("session_title_changed", { title: "A name" }),
      system("session_title_changed", {}),
    );
    assert.deepEqual(
      updates.map((one) => one.sessionUpdate === "session_info_update" && one.title),
      ["A name", null],
    );
  });

  it("show what a command printed", () => {
    assert.deepEqual(shown(new TranslatorHarness().take(system("local_command_output", { content: " Cost: $1\n" }))), [
      'agent_message_chunk "Cost: $1\\n"',
    ]);
  });

  it("pass by when nobody needs them", () => {
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

describe("paths and titles", () => {
  it("are short below the session's directory and whole elsewhere", () => {
    const view = viewOf({ cwd: "/a/b" });
    assert.deepEqual(
      ["/a/b", "/a/b/c", "/a/bc", "/x"].map((path) => shownPath(path, view)),
      [".", "c", "/a/bc", "/x"],
    );
    assert.equal(shownPath("C:\\p\\a.ts", viewOf({ cwd: "C:\\p" })), "a.ts");
    assert.equal(shownPath("/a.ts", viewOf({ cwd: "/" })), "a.ts");
  });

  it("are made absolute in the way of their system", () => {
    assert.equal(absolutePath("a/b", viewOf({ cwd: "/p" })), "/p/a/b");
    assert.equal(absolutePath("./b", viewOf({ cwd: "/p/" })), "/p/b");
    assert.equal(absolutePath("a.ts", viewOf({ cwd: "C:\\p" })), "C:\\p\\a.ts");
    assert.equal(absolutePath("\\\\host\\x", viewOf()), "\\\\host\\x");
  });

  it("never end in half a character", () => {
    assert.equal(oneLine("a😀bc", 3), "a…");
    assert.equal(oneLine("a😀bc", 4), "a😀…");
    assert.equal(oneLine("a\n\tb  c"), "a b c");
  });
});
