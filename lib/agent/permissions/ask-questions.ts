/**
 * Asks the user the questions of the model.
 *
 * A client with form elicitation gets one form, with a choice and a free text for each
 * question. Any other client gets one permission request per question, with an option
 * per answer; a question with several answers is repeated until the user chooses Done.
 */
import {
  type ElicitationContentValue,
  type ElicitationPropertySchema,
  isElicitationAccepted,
  type PermissionOption,
  permissionOption,
  toolContent,
  type ToolCallUpdate,
} from "../../acp/index.ts";
import { describeQuestion, type UserQuestion } from "../../display/index.ts";
import type { UserAnswers, UserQuestions } from "../../engine/index.ts";
import { markInvisible } from "../../schema/index.ts";
import type { AskContext } from "./ask-permission.ts";

type Answers = Readonly<Record<string, string>>;

export async function askQuestions(
  asked: UserQuestions,
  signal: AbortSignal,
  context: AskContext,
): Promise<UserAnswers> {
  const hasForms = context.client.clientCapabilities.elicitation?.form != null;
  try {
    const answers = await (hasForms ? askByForm : askByButtons)(asked, signal, context);
    return typeof answers === "string" ? { kind: answers } : { kind: "answered", answers };
  } catch (cause) {
    if (!signal.aborted) context.onBug("AskUserQuestion", cause);
    return { kind: "cancelled" };
  }
}

type Answered = Answers | "dismissed" | "cancelled";

async function askByForm(
  { toolCall: { toolCallId }, questions }: UserQuestions,
  signal: AbortSignal,
  { client, sessionId, engineName }: AskContext,
): Promise<Answered> {
  const properties = Object.fromEntries(questions.flatMap(formFields));
  const message =
    questions.length === 1 ? markInvisible(questions[0]?.question ?? "") : `${engineName} has some questions`;
  const response = await client.call(
    "elicitation/create",
    { mode: "form", message, sessionId: sessionId(), toolCallId, requestedSchema: { type: "object", properties } },
    { signal },
  );
  if (!isElicitationAccepted(response)) return response.action === "decline" ? "dismissed" : "cancelled";
  const content = response.content ?? {};
  return Object.fromEntries(
    questions.flatMap(({ question }, i) => {
      const answers = [...texts(content[choiceField(i)]), ...texts(content[freeTextField(i)])];
      return answers.length === 0 ? [] : [[question, answers.join(", ")]];
    }),
  );
}

function formFields(asked: UserQuestion, i: number): readonly (readonly [string, ElicitationPropertySchema])[] {
  const { options, isMultiSelect } = asked;
  const [question, header] = [markInvisible(asked.question), markInvisible(asked.header)];
  const choices = options.map(({ label, description }) => ({
    const: label,
    title: markInvisible(label),
    description: markInvisible(description),
  }));
  const chosen: ElicitationPropertySchema = isMultiSelect
    ? { type: "array", title: header, description: question, items: { anyOf: choices } }
    : { type: "string", title: header, description: question, oneOf: choices };
  return [
    [choiceField(i), chosen],
    [freeTextField(i), { type: "string", title: `${header} (in your own words)` }],
  ];
}

function choiceField(i: number): string {
  return `question_${i + 1}`;
}

function freeTextField(i: number): string {
  return `question_${i + 1}_other`;
}

function texts(value: ElicitationContentValue | undefined): readonly string[] {
  const values: readonly (string | number | boolean)[] =
    typeof value === "object" ? value : value === undefined ? [] : [value];
  return values.map(String).filter((text) => text.trim() !== "");
}

async function askByButtons(
  { toolCall, questions }: UserQuestions,
  signal: AbortSignal,
  context: AskContext,
): Promise<Answered> {
  const answers = new Map<string, string>();
  for (const question of questions) {
    const chosen = await askOne(toolCall, question, signal, context);
    if (chosen === "cancelled") return chosen;
    if (chosen !== "skipped") answers.set(question.question, chosen.join(", "));
  }
  return answers.size === 0 ? "dismissed" : Object.fromEntries(answers);
}

const done = "done";
const skip = "skip";

/** Asks one question. A question with several answers is asked again until the user chooses Done. */
async function askOne(
  asking: ToolCallUpdate,
  question: UserQuestion,
  signal: AbortSignal,
  { client, sessionId }: AskContext,
): Promise<readonly string[] | "skipped" | "cancelled"> {
  const chosen = new Set<string>();
  const content = [toolContent.block(markInvisible(describeQuestion(question)))];
  for (;;) {
    const title = markInvisible(
      chosen.size === 0 ? question.question : `${question.question} (${[...chosen].join(", ")})`,
    );
    const toolCall = { ...asking, title, content };
    const options = buttons(question, chosen);
    const request = { sessionId: sessionId(), toolCall, options };
    const { outcome } = await client.call("session/request_permission", request, { signal });
    if (outcome.outcome === "cancelled") return "cancelled";
    if (outcome.optionId === done) return chosen.size === 0 ? "skipped" : [...chosen];
    const label = question.options[Number(/^choice_(\d+)$/.exec(outcome.optionId)?.[1] ?? -1)]?.label;
    if (label === undefined) return "skipped";
    if (!question.isMultiSelect) return [label];
    if (!chosen.delete(label)) chosen.add(label);
  }
}

function buttons({ options, isMultiSelect }: UserQuestion, chosen: ReadonlySet<string>): readonly PermissionOption[] {
  const choices = options.map(({ label }, i) =>
    permissionOption("allow_once", `choice_${i}`, markInvisible(chosen.has(label) ? `✓ ${label}` : label)),
  );
  const isDone = isMultiSelect && chosen.size > 0 ? [permissionOption("allow_once", done, "Done")] : [];
  return [...choices, ...isDone, permissionOption("reject_once", skip, "Skip")];
}
