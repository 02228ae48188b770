/**
 * Prose: what the CLI writes for the model does not reach people.
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

describe("forPeople", () => {
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
    it(`shows ${JSON.stringify(text)} as ${JSON.stringify(shown)}`, () => assert.equal(visibleText(text), shown));
  }

  it("costs no more than the text's length, whatever the text", () => {
    assert.equal(visibleText("<system-reminder>".repeat(20_000)), "");
    assert.equal(visibleText("<tools-used-before-summary>".repeat(20_000)), "");
    // With a pattern for blanks before the tag this took a minute.
    const blank = `<a>${" ".repeat(300_000)}<b>`;
    assert.equal(visibleText(blank), blank);
  });
});

describe("commandOutput", () => {
  it("is what a slash command printed, and nothing else", () => {
    assert.equal(commandOutput("<local-command-stdout>Hi\n</local-command-stdout>"), "Hi");
    assert.equal(commandOutput("<local-command-stderr>No</local-command-stderr>"), "No");
    assert.equal(commandOutput("Use <local-command-stdout>"), undefined);
  });
});

describe("isForModelOnly", () => {
  it("tells a person's words from the CLI's", () => {
    assert.ok(isForModelOnly("<command-name>/x</command-name>"));
    assert.ok(isForModelOnly("\n<system-reminder>x"));
    assert.ok(!isForModelOnly("What does <system-reminder> mean?"));
    assert.ok(!isForModelOnly("[Request for comments]"));
  });
});

describe("withoutReminders", () => {
  it("ends where the instruction to the model begins", () => {
    assert.equal(withoutReminders("Found.\n\n\nREMINDER: You MUST cite."), "Found.");
    assert.equal(withoutReminders("REMINDER: buy milk"), "REMINDER: buy milk");
  });
});

describe("isDiagnostic", () => {
  it("knows the CLI's own diagnostics", () => {
    assert.ok(isDiagnostic("[ede_diagnostic] result_type=user"));
    assert.ok(!isDiagnostic("Reached maximum number of turns (3)"));
  });
});
