/**
 * `readQuestions`: the input of AskUserQuestion.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readQuestions } from "../../../../lib/claude/translate/index.ts";
import { describeQuestion } from "../../../../lib/display/index.ts";

describe("readQuestions", () => {
  it("readQuestions reads questions, choices and whether several may be chosen", () => {
    const questions = [
      { question: "Which?", header: "Colour", options: [{ label: "Red", description: "warm" }], multiSelect: false },
      { question: "How many?", options: [{ label: "One" }], multiSelect: true },
    ];
    assert.deepEqual(readQuestions({ questions }), [
      { question: "Which?", header: "Colour", options: [{ label: "Red", description: "warm" }], isMultiSelect: false },
      { question: "How many?", header: "How many?", options: [{ label: "One", description: "" }], isMultiSelect: true },
    ]);
  });

  it("readQuestions ignores input that is not a question", () => {
    for (const questions of [undefined, null, "Which?", {}, [null, { question: 5 }, {}]]) {
      assert.deepEqual(readQuestions({ questions }), []);
    }
  });
});

describe("describeQuestion", () => {
  it("describeQuestion shows the question above its choices", () => {
    const [question] = readQuestions({
      questions: [{ question: "Which?", options: [{ label: "A", description: "first" }, { label: "B" }] }],
    });
    assert.equal(question && describeQuestion(question), "**Which?**\n- A: first\n- B");
  });
});
