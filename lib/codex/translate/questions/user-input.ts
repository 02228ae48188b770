/**
 * Turns `request_user_input` of the model into questions to the user, and the answers back.
 */
import { toolContent } from "../../../acp/index.ts";
import { titleLine, type UserQuestion } from "../../../display/index.ts";
import type { InputQuestion, UserInputAnswer, UserInputRequest } from "../../protocol/index.ts";
import type { CallView } from "../calls/call-view.ts";
import type { CodexState } from "../state/codex-state.ts";
import type { AskedUser } from "./codex-question.ts";

/** The request has no item: its call begins and ends with the questions. */
export function userQuestions({ params }: UserInputRequest, state: CodexState): AskedUser {
  const { itemId, threadId, questions } = params;
  const view: CallView = {
    name: "request_user_input",
    kind: "other",
    title: titleLine(questions.map(({ question }) => question).join(" ") || "Ask a question"),
    content: questions.map((one) => toolContent.block(described(one))),
    isPending: true,
  };
  const announced = state.calls.begin(itemId, view, { threadId, parent: state.agents.get(threadId) });
  return {
    kind: "user",
    announced,
    questions: {
      toolCall: {
        toolCallId: itemId,
        title: view.title,
        kind: view.kind,
        status: "pending",
        ...(view.content !== undefined && { content: view.content }),
      },
      questions: questions.map(userQuestion),
    },
    answerOf: (answers) => (answers.kind === "answered" ? answerOf(questions, answers.answers) : { answers: {} }),
    settled: (answers) =>
      state.calls.end(
        itemId,
        answers.kind === "answered"
          ? {
              status: "completed",
              content: Object.entries(answers.answers).map(([asked, said]) =>
                toolContent.block(`**${asked}**\n${said}`),
              ),
            }
          : { status: "failed", content: [toolContent.block("Not answered.")] },
      ),
  };
}

function userQuestion({ header, question, options }: InputQuestion): UserQuestion {
  return {
    question,
    header: header ?? question,
    options: (options ?? []).map(({ label, description }) => ({ label, description: description ?? "" })),
    isMultiSelect: false,
  };
}

/** Codex marks what is not one of the options as a note of the user. */
function answerOf(questions: readonly InputQuestion[], said: Readonly<Record<string, string>>): UserInputAnswer {
  const answers = questions.flatMap(
    ({ id, question, options }): [string, { readonly answers: readonly string[] }][] => {
      const text = Object.hasOwn(said, question) ? said[question] : undefined;
      if (text === undefined || text === "") return [];
      const isOption = (options ?? []).some(({ label }) => label === text);
      return [[id, { answers: [isOption || (options ?? []).length === 0 ? text : `user_note: ${text}`] }]];
    },
  );
  return { answers: Object.fromEntries(answers) };
}

/** A question and its choices as Markdown. */
function described({ question, options }: InputQuestion): string {
  const choices = (options ?? []).map(
    ({ label, description }) => `- ${label}${description == null || description === "" ? "" : `: ${description}`}`,
  );
  return [`**${question}**`, ...choices].join("\n");
}
