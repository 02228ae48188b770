/**
 * Text and reasoning are shown once, as messages of their own.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  CodexHarness,
  command,
  completed,
  messageTexts,
  started,
  textDelta,
  thread,
} from "../../../support/codex/harness.ts";

const broke = {
  method: "error",
  params: { threadId: thread, willRetry: true, error: { message: "Reconnecting... 1/5", codexErrorInfo: "other" } },
};
const counted = (totalTokens: number): object => ({
  method: "thread/tokenUsage/updated",
  params: { threadId: thread, tokenUsage: { total: { totalTokens } } },
});

describe("the messages of Codex", () => {
  it("two messages in a row are separated by a blank line for clients that join them", () => {
    const updates = new CodexHarness().take(textDelta("One.", "msg-1"), textDelta("Two.", "msg-2"));
    assert.deepEqual(messageTexts(updates), { "msg-1": "One.", "msg-2": "\n\nTwo." });
  });

  it("messages with a call between them need no blank line", () => {
    const updates = new CodexHarness().take(
      textDelta("One.", "msg-1"),
      started(command("ls")),
      textDelta("Two.", "msg-2"),
    );
    assert.deepEqual(messageTexts(updates), { "msg-1": "One.", "msg-2": "Two." });
  });

  it("a line end before the next message counts for the blank line", () => {
    const updates = new CodexHarness().take(
      textDelta("One.\n", "msg-1"),
      textDelta("Two.\n\n", "msg-2"),
      textDelta("3", "m"),
    );
    assert.deepEqual(messageTexts(updates), { "msg-1": "One.\n", "msg-2": "\nTwo.\n\n", m: "3" });
  });

  it("the whole text adds what the deltas left out and repeats nothing", () => {
    const codex = new CodexHarness();
    const item = { type: "agentMessage", id: "msg-1" };
    const updates = codex.take(
      started({ ...item, text: "" }),
      textDelta("Hel"),
      completed({ ...item, text: "Hello." }),
    );
    assert.deepEqual(messageTexts(updates), { "msg-1": "Hello." });
    assert.deepEqual(codex.take(completed({ ...item, text: "Hello." })), []);
  });

  it("text that comes again after the stream broke is shown once, as one message", () => {
    const updates = new CodexHarness().take(
      textDelta("The first half", "msg-1"),
      broke,
      textDelta("The ", "msg-2"),
      textDelta("first half and the second.", "msg-2"),
    );
    const { "": _notice, ...texts } = messageTexts(updates);
    assert.deepEqual(texts, { "msg-1": "The first half and the second." });
  });

  it("a count of tokens that does not change between the break and the retry makes no new response", () => {
    const updates = new CodexHarness().take(
      counted(258_510),
      textDelta("The first half", "msg-1"),
      counted(258_510),
      broke,
      textDelta("The first half and the second.", "msg-2"),
    );
    const { "": _notice, ...texts } = messageTexts(updates);
    assert.deepEqual(texts, { "msg-1": "The first half and the second." });
  });

  it("other text after a broken stream is a complete message of its own", () => {
    const updates = new CodexHarness({ showsNotices: true }).take(
      textDelta("The first half", "msg-1"),
      broke,
      textDelta("The ", "msg-2"),
      textDelta("other answer.", "msg-2"),
    );
    assert.deepEqual(messageTexts(updates), { "msg-1": "The first half", "msg-2": "\n\nThe other answer." });
  });

  it("text that the next response repeats is shown twice", () => {
    const updates = new CodexHarness().take(
      textDelta("Again.", "msg-1"),
      counted(1),
      broke,
      textDelta("Again.", "msg-2"),
    );
    const { "": _notice, ...texts } = messageTexts(updates);
    assert.equal(Object.keys(texts).length, 2);
  });

  it("the parts of a reasoning summary are separated by a blank line", () => {
    const part = (summaryIndex: number): object => ({
      method: "item/reasoning/summaryPartAdded",
      params: { threadId: thread, itemId: "r-1", summaryIndex },
    });
    const delta = (text: string): object => ({
      method: "item/reasoning/summaryTextDelta",
      params: { threadId: thread, itemId: "r-1", delta: text },
    });
    const item = { type: "reasoning", id: "r-1", summary: ["One.", "Two."], content: [] };
    const updates = new CodexHarness().take(part(0), delta("One."), part(1), delta("Two."), completed(item));
    assert.deepEqual(messageTexts(updates), { "r-1": "One.\n\nTwo." });
  });
});
