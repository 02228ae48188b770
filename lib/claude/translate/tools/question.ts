/**
 * Tool family of AskUserQuestion: the questions to the user, and the answers.
 */
import { toolContent } from "../../../acp/index.ts";
import { isRecord } from "../../../schema/index.ts";
import { readQuestions } from "../to-claude/user-questions.ts";
import { describeQuestion, titleLine } from "../../../display/index.ts";
import type { ToolFamily } from "./tool-family.ts";

export const question: ToolFamily = {
  names: ["askuserquestion"],
  kind: "other",
  titleFields: [],
  open: (input) => {
    const questions = readQuestions(input);
    const [first] = questions;
    return {
      title: first === undefined ? "Ask a question" : titleLine(questions.map((one) => one.question).join(" ")),
      content: questions.map((one) => toolContent.block(describeQuestion(one))),
      // Readers of packets show the choices themselves.
      rawInput: input,
    };
  },
  end: (_call, outcome) => {
    const answers = outcome.structured?.["answers"];
    if (outcome.isError || !isRecord(answers))
      return { content: [toolContent.block(outcome.isError ? "Not answered." : outcome.text)] };
    return {
      content: Object.entries(answers).map(([asked, answer]) =>
        toolContent.block(`**${asked}**\n${typeof answer === "string" ? answer : JSON.stringify(answer)}`),
      ),
    };
  },
};
