/**
 * ACP prompts as the input of a turn.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { block, type ContentBlock } from "../../../lib/acp/index.ts";
import type { SentInput } from "../../../lib/codex/protocol/index.ts";
import { maxPromptChars, promptInput } from "../../../lib/codex/translate/index.ts";

describe("promptInput", () => {
  it("links to files become paths inside the text", () => {
    const read = inputOf(
      block.text("Look at "),
      block.link("file:///home/dev/a.ts#L3:5", "a.ts"),
      block.text(" and "),
      block.link("https://example.com/x", "x"),
    );
    assert.deepEqual(read, [text("Look at @/home/dev/a.ts#L3-5 and [x](https://example.com/x)")]);
  });

  it("an attached file becomes text in a context tag", () => {
    const read = inputOf(block.text("Why?"), block.resource({ uri: "file:///a.txt", text: "content" }));
    assert.deepEqual(read, [text('Why?\n<context ref="/a.txt">\ncontent\n</context>\n')]);
  });

  it("an image becomes a data URL, and an image that is only a file its path", () => {
    const read = inputOf(block.image("QUJD", "image/png"), block.image("", "image/png", "file:///a/b.png"));
    assert.deepEqual(read, [
      { type: "image", url: "data:image/png;base64,QUJD" },
      { type: "localImage", path: "/a/b.png" },
    ]);
  });

  it("an image of a type that Codex cannot take is named in the text", () => {
    assert.deepEqual(inputOf(block.image("QUJD", "image/tiff")), [
      text("[an image of type image/tiff that cannot be shown]"),
    ]);
  });

  it("an empty prompt is refused, because it would start a turn", () => {
    assert.deepEqual(promptInput([block.text(" \n")]), { kind: "refused", why: "prompt must say something" });
    assert.deepEqual(promptInput([]), { kind: "refused", why: "prompt must say something" });
  });

  it("a prompt with audio is refused", () => {
    assert.equal(promptInput([block.text("x"), block.audio("QUJD", "audio/wav")]).kind, "refused");
  });

  it("a prompt as long as Codex takes passes, and a longer one is refused", () => {
    assert.equal(promptInput([block.text("x".repeat(maxPromptChars))]).kind, "input");
    assert.equal(promptInput([block.text("x".repeat(maxPromptChars + 1))]).kind, "refused");
    // Codex counts characters, not UTF-16 units.
    assert.equal(promptInput([block.text("😀".repeat(maxPromptChars))]).kind, "input");
  });

  it("no name mentions a file, because the prompt may come back and be sent to another engine", () => {
    const read = inputOf(
      block.link("https://example.com/x", "see @~/secret"),
      block.link("file:///a%20@~/secret", "a"),
      block.image("QUJD", "image/ @~/secret"),
      block.resource({ uri: "https://example.com/ @~", blob: "QUJD", mimeType: "application/zip" }),
    );
    assert.doesNotMatch(JSON.stringify(read), /[\s"]@/);
  });

  it("text that the user did not write is distinguished from the user's text", () => {
    const prompt = [
      block.text("own"),
      block.link("file:///a%20b.txt", "name"),
      block.link("https://example.com/x", "name"),
      block.resource({ uri: "file:///a.txt", text: "content" }),
      block.image("QUJD", "image/tiff"),
    ];
    const read = promptInput(prompt, { preface: ["said by others "], foreign: (one) => `<${one.trim()}>` });
    assert.ok(read.kind === "input");
    const [only, ...more] = read.input;
    assert.deepEqual(more, []);
    assert.deepEqual(
      only,
      text(
        '<said by others>own<@"/a b.txt"><[name](https://example.com/x)><<context ref="/a.txt">\ncontent\n</context>><[an image of type image/tiff that cannot be shown]>',
      ),
    );
  });
});

function inputOf(...prompt: readonly ContentBlock[]): readonly SentInput[] {
  const read = promptInput(prompt);
  assert.ok(read.kind === "input");
  return read.input;
}

function text(value: string): SentInput {
  return { type: "text", text: value, text_elements: [] };
}
