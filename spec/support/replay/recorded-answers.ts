/**
 * Answers the agent's questions as the recorded host answered the CLI's.
 */
import { at, isObject, listAt, textAt } from "../json.ts";
import type { AgentRequest } from "../acp/raw-client.ts";

export interface RecordedAnswer {
  /** The CLI's recorded request. */
  readonly asked: unknown;
  /** What the recorded host answered. */
  readonly answer: unknown;
}

/** The answer to give; undefined when the question is another one. */
export function chosenBy({ asked, answer }: RecordedAnswer, { method, params }: AgentRequest): unknown {
  const isElicitation = textAt(asked, "subtype") === "elicitation";
  const questions = listAt(asked, "input.questions");
  if (method === "elicitation/create") {
    if (isElicitation) return answer;
    return questions.length > 0 && params["toolCallId"] === at(asked, "tool_use_id")
      ? filledForm(questions, at(answer, "updatedInput.answers"))
      : undefined;
  }
  if (isElicitation || at(params, "toolCall.toolCallId") !== at(asked, "tool_use_id")) return undefined;
  const options = listAt(params, "options");
  const behavior = textAt(answer, "behavior");
  if (behavior !== "allow" && behavior !== "deny") return { outcome: { outcome: "cancelled" } };
  if (questions.length > 0 && behavior === "allow") {
    return selected(
      answerByButton(questions, at(answer, "updatedInput.answers"), textAt(params, "toolCall.title"), options),
    );
  }
  if (at(answer, "interrupt") === true) return { outcome: { outcome: "cancelled" } };
  const changes = listAt(answer, "updatedPermissions");
  const isAlways = changes.length > 0 && !changes.some((change) => at(change, "mode") === "default");
  const kinds = behavior === "deny" ? ["reject_once"] : isAlways ? ["allow_always", "allow_once"] : ["allow_once"];
  const option = kinds.map((kind) => options.find((one) => at(one, "kind") === kind)).find((one) => one !== undefined);
  return selected(textAt(option, "optionId"));
}

function selected(optionId: string): unknown {
  return { outcome: { outcome: "selected", optionId } };
}

/** Several choices are made one after the other; the title names those already made. */
function answerByButton(
  questions: readonly unknown[],
  answers: unknown,
  title: string,
  options: readonly unknown[],
): string {
  const question = questions.find((one) => title.startsWith(textAt(one, "question")));
  const wanted = String(isObject(answers) ? answers[textAt(question, "question")] : "").split(", ");
  const next = wanted.find((label) => options.some((one) => at(one, "name") === label));
  const option =
    options.find((one) => at(one, "name") === next) ?? options.find((one) => at(one, "optionId") === "done");
  return textAt(option, "optionId");
}

function filledForm(questions: readonly unknown[], answers: unknown): unknown {
  if (!isObject(answers)) return { action: "decline" };
  const content = questions.map((one, i) => {
    const answer = answers[textAt(one, "question")];
    const said = typeof answer === "string" ? answer : "";
    return [`question_${i + 1}`, at(one, "multiSelect") === true ? said.split(", ") : said];
  });
  return { action: "accept", content: Object.fromEntries(content) };
}
