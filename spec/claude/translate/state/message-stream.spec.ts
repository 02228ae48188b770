/**
 * The text of the model is emitted exactly once, streamed or not.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  assistant,
  blockStarted,
  result,
  TranslatorHarness,
  started,
  stream,
  textDelta,
} from "../../../support/translate/cli-events.ts";

const said = (text: string, messageId: string | null = "msg-1"): object => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  messageId: messageId ?? undefined,
});
const thought = (text: string): object => ({
  ...said(text),
  sessionUpdate: "agent_thought_chunk",
});
const text = (words: string): object => ({ type: "text", text: words });
const thinking = (words: string): object => ({ type: "thinking", thinking: words, signature: "s" });
const thinkingDelta = (words: string): object =>
  stream({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: words } });
const broken = (from = 0): object =>
  stream({ type: "message_stop" }, { abandoned_blocks: { api_message_id: "msg-1", from_block_index: from } });

describe("a streamed message", () => {
  it("a streamed message is shown by its deltas and not again as a whole message", () => {
    const translator = new TranslatorHarness();
    assert.deepEqual(translator.take(started(), textDelta("Hel"), textDelta("lo")), [said("Hel"), said("lo")]);
    assert.deepEqual(translator.take(assistant([text("Hello")])), []);
  });

  it("streamed thinking is shown as a thought", () => {
    const translator = new TranslatorHarness();
    assert.deepEqual(translator.take(started(), thinkingDelta("Hm.")), [thought("Hm.")]);
    assert.deepEqual(translator.take(assistant([thinking("Hm.")])), []);
  });

  it("text in the start event of a block is shown", () => {
    assert.deepEqual(new TranslatorHarness().take(started(), blockStarted(text("Hi"))), [said("Hi")]);
  });

  it("empty deltas, signatures and citations show nothing", () => {
    const other = (delta: object): object => stream({ type: "content_block_delta", index: 0, delta });
    const lines = [
      textDelta(""),
      thinkingDelta(""),
      other({ type: "signature_delta", signature: "x" }),
      other({ type: "citations_delta", citation: {} }),
    ];
    assert.deepEqual(new TranslatorHarness().take(started(), ...lines), []);
  });

  it("a streamed message is not repeated when its whole message arrives after the next stream has started", () => {
    const translator = new TranslatorHarness();
    translator.take(started("msg-1"), textDelta("One"), started("msg-2"), textDelta("Two"));
    assert.deepEqual(translator.take(assistant([text("One")])), []);
  });
});

describe("a message that was never streamed", () => {
  it("a message that was not streamed is shown whole", () => {
    assert.deepEqual(new TranslatorHarness().take(assistant([thinking("Hm."), text("Hello")])), [
      thought("Hm."),
      said("Hello"),
    ]);
  });

  it("the output of a slash command is shown without its tags", () => {
    const printed = {
      ...assistant([]),
      message: { id: "s1", model: "<synthetic>", content: [text("<local-command-stdout>3%</local-command-stdout>")] },
    };
    assert.deepEqual(new TranslatorHarness().take(printed), [said("3%", "s1")]);
  });

  it("a message of a subagent is not shown in the conversation", () => {
    assert.deepEqual(
      new TranslatorHarness().take(assistant([text("I am two.")], { parent_tool_use_id: "agent-1" })),
      [],
    );
  });

  it("an error message is not shown before the result", () => {
    const translator = new TranslatorHarness();
    assert.deepEqual(translator.take(assistant([text("Invalid API key")], { error: "authentication_failed" })), []);
    assert.deepEqual(translator.take(result({ is_error: true, terminal_reason: "api_error" })), []);
  });

  it("an error message that explains a stop reason is shown when the turn ends", () => {
    const translator = new TranslatorHarness();
    translator.take(assistant([text("The model refused.")], { error: "invalid_request" }));
    const [update] = translator.take(result({ is_error: true, stop_reason: "refusal", terminal_reason: "api_error" }));
    assert.deepEqual(update, said("The model refused.", null));
  });

  it("the text of the result is shown when no message was shown", () => {
    const translator = new TranslatorHarness();
    assert.deepEqual(translator.take(result({ result: "Done." })), [said("Done.", null)]);
    translator.take(started(), textDelta("Done."));
    assert.deepEqual(translator.take(result({ result: "Done." })), []);
  });
});

describe("a stream that breaks", () => {
  it("text of a broken stream is not repeated by the whole message that replaces it", () => {
    const translator = new TranslatorHarness();
    translator.take(started(), textDelta("Hello, "), textDelta("wor"), broken());
    const whole = { ...assistant([text("Hello, world")]), message: { id: "msg-2", content: [text("Hello, world")] } };
    assert.deepEqual(translator.take(whole), [said("ld", "msg-2")]);
  });

  it("text of a broken stream is not repeated by the stream that replaces it", () => {
    const translator = new TranslatorHarness();
    translator.take(started(), textDelta("Hello, "), broken(), started("msg-2"));
    assert.deepEqual(translator.take(textDelta("Hel"), textDelta("lo, w"), textDelta("orld")), [
      said("w", "msg-2"),
      said("orld", "msg-2"),
    ]);
  });

  it("nothing is hidden of an answer that differs from the broken stream", () => {
    const translator = new TranslatorHarness();
    translator.take(started(), textDelta("Hello, world"), broken(), started("msg-2"));
    assert.deepEqual(translator.take(textDelta("Hello"), textDelta(" there")), [said("Hello there", "msg-2")]);
  });

  it("only the text of abandoned blocks is filtered from the next stream", () => {
    const translator = new TranslatorHarness();
    translator.take(started(), textDelta("Kept. ", 0), textDelta("Lost", 1), broken(1), started("msg-2"));
    assert.deepEqual(translator.take(textDelta("Lost and found")), [said(" and found", "msg-2")]);
  });

  it("the text of a broken stream is forgotten at the end of its turn", () => {
    const translator = new TranslatorHarness();
    translator.take(
      started(),
      textDelta("Yes"),
      broken(),
      result({ terminal_reason: "aborted_streaming" }),
      started("msg-2"),
    );
    assert.deepEqual(translator.take(textDelta("Yes")), [said("Yes", "msg-2")]);
  });
});

describe("prompts of the user in loaded history", () => {
  const user = (content: unknown, more: object = {}): object => ({
    type: "user",
    uuid: "u1",
    message: { role: "user", content },
    ...more,
  });

  it("a prompt in history is shown as a user message with its text and images", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } };
    const updates = new TranslatorHarness().take(user("Hello"), user([text("See"), image]));
    assert.deepEqual(
      updates.map((one) => one.sessionUpdate),
      ["user_message_chunk", "user_message_chunk", "user_message_chunk"],
    );
  });

  it("text that the CLI wrote in a user message is not shown as a prompt", () => {
    const words = [
      "<system-reminder>Remember…</system-reminder>",
      "<command-name>/clear</command-name>",
      "<local-command-caveat>…",
      "<task-notification>…",
      "[Request interrupted by user]",
      "[Request interrupted by user for tool use]",
      "Caveat: The messages below were generated…",
    ];
    assert.deepEqual(new TranslatorHarness().take(...words.map((one) => user(one))), []);
    assert.deepEqual(
      new TranslatorHarness().take(user("Summary…", { isSynthetic: true }), user("Again", { isReplay: true })),
      [],
    );
    assert.deepEqual(new TranslatorHarness().take(user("Count the files", { parent_tool_use_id: "agent-1" })), []);
  });

  it("the output of a slash command in history is shown as an agent message", () => {
    const [update] = new TranslatorHarness().take(
      user("<local-command-stdout>Set model to opus</local-command-stdout>"),
    );
    assert.equal(update?.sessionUpdate, "agent_message_chunk");
  });
});
