/**
 * Puts the questions of the model's AskUserQuestion tool to the user.
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
} from "../../acp/index.ts";
import type { CanUseTool, ToolDecision } from "../../claude/index.ts";
import {
  askedToolCall,
  describeQuestion,
  type UserQuestion,
  readQuestions,
  rejection,
  unanswered,
} from "../../claude/translate/index.ts";
import { markInvisible } from "../../schema/index.ts";
import type { AskContext } from "./ask-permission.ts";

type Answers = Readonly<Record<string, string>>;

export async function askQuestions(
  request: CanUseTool,
  toolCallId: string,
  signal: AbortSignal,
  context: AskContext,
): Promise<ToolDecision> {
  const questions = readQuestions(request.input);
  const hasForms = context.client.clientCapabilities.elicitation?.form != null;
  const answers = hasForms
    ? await askByForm(questions, toolCallId, signal, context)
    : await askByButtons(request, questions, toolCallId, signal, context);
  if (answers === "dismissed") return rejection;
  if (answers === "cancelled") return unanswered;
  return { behavior: "allow", updatedInput: { ...request.input, answers } };
}

type Answered = Answers | "dismissed" | "cancelled";

async function askByForm(
  questions: readonly UserQuestion[],
  toolCallId: string,
  signal: AbortSignal,
  { client, sessionId }: AskContext,
): Promise<Answered> {
  const properties = Object.fromEntries(questions.flatMap(formFields));
  const message = questions.length === 1 ? markInvisible(questions[0]?.question ?? "") : "Claude has some questions";
  const response = await client.call(
    "elicitation/create",
    { mode: "form", message, sessionId, toolCallId, requestedSchema: { type: "object", properties } },
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
  request: CanUseTool,
  questions: readonly UserQuestion[],
  toolCallId: string,
  signal: AbortSignal,
  context: AskContext,
): Promise<Answered> {
  const answers = new Map<string, string>();
  for (const question of questions) {
    const chosen = await askOne(request, question, toolCallId, signal, context);
    if (chosen === "cancelled") return chosen;
    if (chosen !== "skipped") answers.set(question.question, chosen.join(", "));
  }
  return answers.size === 0 ? "dismissed" : Object.fromEntries(answers);
}

const done = "done";
const skip = "skip";

/** Asks one question. A question with several answers is asked again until the user chooses Done. */
async function askOne(
  request: CanUseTool,
  question: UserQuestion,
  toolCallId: string,
  signal: AbortSignal,
  { client, sessionId, view }: AskContext,
): Promise<readonly string[] | "skipped" | "cancelled"> {
  const chosen = new Set<string>();
  const content = [toolContent.block(markInvisible(describeQuestion(question)))];
  for (;;) {
    const title = markInvisible(
      chosen.size === 0 ? question.question : `${question.question} (${[...chosen].join(", ")})`,
    );
    const toolCall = { ...askedToolCall(request, toolCallId, view), title, content };
    const options = buttons(question, chosen);
    const { outcome } = await client.call("session/request_permission", { sessionId, toolCall, options }, { signal });
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
