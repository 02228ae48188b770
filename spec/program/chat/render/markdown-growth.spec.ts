/**
 * Markdown in the terminal takes time and space proportional to the text, and loses none of it.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { closed, markdownEnd, markdownLine, startOfText } from "../../../../lib/program/chat/render/markdown.ts";
import { ConversationRenderer } from "../../../../lib/program/chat/render/conversation-renderer.ts";
import { assertLinear } from "../../../support/growth.ts";
import {
  hostileMarkdown,
  lettersOf,
  markdownPieces,
  nestedList,
  nestedQuote,
} from "../../../support/hostile-markdown.ts";
import { bare, coloured } from "../../../support/program/chat/themes.ts";

function rendered(text: string, look = coloured): string {
  let state = startOfText;
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const one = markdownLine(state, line, look);
    state = one.state;
    lines.push(...one.lines);
  }
  // oxlint-disable-next-line no-control-regex
  return [...lines, ...markdownEnd(state, look)].join("\n").replaceAll(/\x1b\[\d+m/g, "");
}

/** All lines of a text that arrives in chunks, with the live lines in between. */
function streamed(text: string, chars: number): string {
  const story = new ConversationRenderer({ ...coloured, isLive: true });
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += chars) {
    const content = { type: "text" as const, text: text.slice(at, at + chars) };
    lines.push(...story.take({ sessionUpdate: "agent_message_chunk", content }, 0));
    if (at % (chars * 32) === 0) story.live("", 0);
  }
  lines.push(...story.end());
  return lines.join("\n");
}

describe("Markdown in the terminal", () => {
  for (const [name, shape] of Object.entries(hostileMarkdown)) {
    it(`Markdown takes time proportional to the text: ${name}`, () => {
      assertLinear(name, 10_000, (size) => void rendered(shape(size)));
      // The longest line that is searched for marks.
      assertLinear(`${name} in one line`, 1000, (size) => {
        const line = shape(size).replaceAll("\n", " ").slice(0, 3990);
        for (let i = 0; i < 10; i++) rendered(line);
        closed(line);
      });
    });
  }

  it("lists of 200 and 1,000 levels are shown completely and in little more space than their source", () => {
    for (const levels of [200, 1000]) {
      for (const text of [nestedList(levels), nestedQuote(levels)]) {
        const shown = rendered(text);
        assert.equal(lettersOf(shown), lettersOf(text));
        assert.ok(shown.length < text.length + levels * 200, `${levels}: ${shown.length} of ${text.length}`);
      }
    }
  });

  it("a text that arrives in small chunks takes time proportional to its length", () => {
    for (const name of ["stars", "backticks", "short lines", "one long word", "nested lists", "opening brackets"]) {
      const shape = hostileMarkdown[name] ?? assert.fail(name);
      assertLinear(name, 8_000, (size) => void streamed(shape(size), 8));
    }
  });

  it("Markdown loses no letter of any text, and throws for none", () => {
    const text = fc.array(fc.constantFrom(...markdownPieces), { maxLength: 60 }).map((all) => all.join(""));
    fc.assert(
      fc.property(text, (given) => {
        assert.equal(lettersOf(rendered(given, bare)), lettersOf(given));
        // The language of a code fence is not shown.
        if (!/```|~~~/.test(given)) assert.equal(lettersOf(rendered(given)), lettersOf(shownOnce(given)));
        closed(given);
      }),
      { numRuns: 500 },
    );
  });
});

/** A link whose label is its address is shown once, and a ticked box before the text of a task is a sign. */
function shownOnce(text: string): string {
  const once = text.replaceAll(/\[(http:\/\/a\.b)\]\(\1\)/g, "$1");
  return once.replaceAll(/^(\s*(?:[-*+]|\d{1,9}[.)])[^\S\n]+)\[[xX]\] (?=[^\n]*\S)/gm, "$1");
}
