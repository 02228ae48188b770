/**
 * Text that the CLI writes for the model is not shown to the user.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  commandOutput,
  visibleText,
  isDiagnostic,
  isForModelOnly,
  withoutReminders,
} from "../../../lib/claude/translate/cli-markup.ts";

describe("visibleText", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["plain", "plain"],
    ["a < b and [x]", "a < b and [x]"],
    ["text\n<system-reminder>\nDo not tell.\n</system-reminder>", "text"],
    ["a <system-reminder>x</system-reminder>b <system-reminder>y</system-reminder>c", "abc"],
    ["cut <system-reminder>never closed", "cut"],
    ["<tool_use_error>No such file</tool_use_error>", "No such file"],
    ["<tools-used-before-summary>x</tools-used-before-summary>\nDone", "Done"],
    ["[Request interrupted by user]", ""],
    ["[Request interrupted by user for tool use]", ""],
    ["[Image: source: /home/dev/.claude/a.png]", ""],
    ["see [Image: source: x] here", "see [Image: source: x] here"],
  ];
  for (const [text, shown] of cases) {
    it(`visibleText shows ${JSON.stringify(text)} as ${JSON.stringify(shown)}`, () =>
      assert.equal(visibleText(text), shown));
  }

  it("visibleText takes time proportional to the length of the text", () => {
    assert.equal(visibleText("<system-reminder>".repeat(20_000)), "");
    assert.equal(visibleText("<tools-used-before-summary>".repeat(20_000)), "");
    // With a regular expression for white space before the tag this took a minute.
    const blank = `<a>${" ".repeat(300_000)}<b>`;
    assert.equal(visibleText(blank), blank);
  });
});

describe("commandOutput", () => {
  it("commandOutput returns the output of a slash command and nothing else", () => {
    assert.equal(commandOutput("<local-command-stdout>Hi\n</local-command-stdout>"), "Hi");
    assert.equal(commandOutput("<local-command-stderr>No</local-command-stderr>"), "No");
    assert.equal(commandOutput("Use <local-command-stdout>"), undefined);
  });
});

describe("isForModelOnly", () => {
  it("isForModelOnly distinguishes the user's text from the CLI's", () => {
    assert.ok(isForModelOnly("<command-name>/x</command-name>"));
    assert.ok(isForModelOnly("\n<system-reminder>x"));
    assert.ok(!isForModelOnly("What does <system-reminder> mean?"));
    assert.ok(!isForModelOnly("[Request for comments]"));
  });
});

describe("withoutReminders", () => {
  it("withoutReminders cuts the text where the instruction to the model begins", () => {
    assert.equal(withoutReminders("Found.\n\n\nREMINDER: You MUST cite."), "Found.");
    assert.equal(withoutReminders("REMINDER: buy milk"), "REMINDER: buy milk");
  });
});

describe("isDiagnostic", () => {
  it("isDiagnostic recognises the CLI's diagnostics", () => {
    assert.ok(isDiagnostic("[ede_diagnostic] result_type=user"));
    assert.ok(!isDiagnostic("Reached maximum number of turns (3)"));
  });
});
