/**
 * Lets the user choose one of several values: with a form where the client has forms, with
 * permission options otherwise.
 *
 * A long list of options is shown page by page, because clients show options as buttons.
 * Undefined means that the user chose nothing.
 */
import { isElicitationAccepted, permissionOption, toolContent, type SessionUpdate, update } from "../../acp/index.ts";
import { markInvisible } from "../../schema/index.ts";
import type { AskContext } from "./ask-permission.ts";

/** The most choices in one permission request. */
const maxOptionsShown = 8;
/** The most choices in one form; the first ones are kept. */
const maxFormChoices = 200;

export interface ChoiceQuestion<Value> {
  readonly title: string;
  /** What the user should know before choosing. */
  readonly details?: string | undefined;
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
}

export interface ChooseContext extends AskContext {
  readonly push: (update: SessionUpdate) => void;
  /** Sends the pending updates, so that the client shows them before the question. */
  readonly flush: () => void;
}

export async function choose<Value>(
  asked: ChoiceQuestion<Value>,
  signal: AbortSignal,
  context: ChooseContext,
): Promise<Value | undefined> {
  const hasForms = context.client.clientCapabilities.elicitation?.form != null;
  try {
    return await (hasForms ? chooseByForm : chooseByOptions)(asked, signal, context);
  } catch (cause) {
    if (!signal.aborted) context.onBug("choose", cause);
    return undefined;
  }
}

async function chooseByForm<Value>(
  { title, details, choices }: ChoiceQuestion<Value>,
  signal: AbortSignal,
  { client, sessionId, flush }: ChooseContext,
): Promise<Value | undefined> {
  flush();
  const message = markInvisible(details === undefined ? title : `${title}\n${details}`);
  const oneOf = choices
    .slice(0, maxFormChoices)
    .map(({ label }, i) => ({ const: String(i + 1), title: markInvisible(label) }));
  const response = await client.call(
    "elicitation/create",
    {
      mode: "form",
      message,
      sessionId: sessionId(),
      requestedSchema: {
        type: "object",
        properties: { choice: { type: "string", title: "Choice", oneOf } },
        required: ["choice"],
      },
    },
    { signal },
  );
  if (!isElicitationAccepted(response)) return undefined;
  return choices[Number(response.content?.["choice"]) - 1]?.value;
}

async function chooseByOptions<Value>(
  { title, details, choices }: ChoiceQuestion<Value>,
  signal: AbortSignal,
  { client, sessionId, push, flush }: ChooseContext,
): Promise<Value | undefined> {
  const toolCallId = crypto.randomUUID();
  const content = details === undefined ? [] : [toolContent.block(markInvisible(details))];
  const call = { toolCallId, title: markInvisible(title), kind: "other", ...(details && { content }) } as const;
  push(update.toolCall({ ...call, status: "in_progress" }));
  flush();
  try {
    for (let from = 0; ; from += maxOptionsShown) {
      const shown = choices.slice(from, from + maxOptionsShown);
      const options = [
        ...shown.map(({ label }, i) => permissionOption("allow_once", `choice_${from + i}`, markInvisible(label))),
        ...(choices.length > from + maxOptionsShown ? [permissionOption("allow_once", "more", "Show more")] : []),
        permissionOption("reject_once", "cancel", "Cancel"),
      ];
      const { outcome } = await client.call(
        "session/request_permission",
        { sessionId: sessionId(), toolCall: { ...call, status: "pending" }, options },
        { signal },
      );
      if (outcome.outcome !== "selected") return undefined;
      if (outcome.optionId === "more") continue;
      return choices[Number(/^choice_(\d+)$/.exec(outcome.optionId)?.[1] ?? -1)]?.value;
    }
  } finally {
    push(update.toolCallUpdate({ toolCallId, status: "completed" }));
  }
}
