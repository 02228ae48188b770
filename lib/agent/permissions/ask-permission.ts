/**
 * Asks the user for a permission with `session/request_permission`.
 *
 * Fails closed: an error, a cancelled request and a closed connection give the decision
 * `unanswered`, an option that was not offered `rejected`. A rejection may have a reason,
 * which the model reads: a client that has a field for it sends it with the answer, a
 * client with forms gets an option that opens one. What the user has rejected for the
 * session is not asked about again. Several requests may be open at once and do not wait
 * for each other.
 */
import {
  type AgentConnection,
  isElicitationAccepted,
  type PermissionOption,
  permissionOption,
  type SelectedPermissionOutcome,
} from "../../acp/index.ts";
import type { PermissionChoice, PermissionQuestion } from "../../engine/index.ts";
import { titleLine } from "../../display/index.ts";
import { sliceWhole } from "../../schema/index.ts";
import type { LastingRejections } from "./lasting-rejections.ts";

export interface AskContext {
  readonly client: AgentConnection;
  readonly sessionId: () => string;
  readonly engineName: string;
  /** Reasons that are offered as options in addition to "Reject". Empty by default. */
  readonly cannedReasons?: readonly string[] | undefined;
  readonly rejections?: LastingRejections | undefined;
  readonly onBug: (doing: string, cause: unknown) => void;
}

/** A longer reason is truncated. */
export const maxReasonChars = 4000;
const writtenReason = "reject_reason";
const cannedReason = "reject_reason_";

export async function askPermission<Decision>(
  question: PermissionQuestion<Decision>,
  signal: AbortSignal,
  context: AskContext,
): Promise<Decision> {
  const { client, sessionId, onBug, rejections } = context;
  const { toolCall, rejected, unanswered, never } = question;
  if (never !== undefined && rejections?.has(never.keys) === true) return never.decision;
  const choices = [...question.choices, ...neverChoice(question, rejections)];
  const reject = choices.find(({ withReason }) => withReason !== undefined);
  const options = [...choices.map(({ option }) => option), ...(reject === undefined ? [] : reasonOptions(context))];
  try {
    const request = { sessionId: sessionId(), toolCall, options };
    const { outcome } = await client.call("session/request_permission", request, { signal });
    if (outcome.outcome !== "selected") return unanswered;
    const { optionId } = outcome;
    const choice = choices.find(({ option }) => option.optionId === optionId);
    if (choice?.option.kind === "reject_always") {
      rejections?.add(never?.keys ?? []);
      never?.onChosen?.();
    }
    if (choice !== undefined) return decisionWith(choice, sentReason(outcome));
    if (reject === undefined || !options.some((option) => option.optionId === optionId)) return rejected;
    return decisionWith(reject, await readReason(optionId, toolCall.toolCallId, signal, context));
  } catch (cause) {
    if (!signal.aborted) onBug("session/request_permission", cause);
    return unanswered;
  }
}

/** The answer that rejects a call and everything like it for the rest of the session. `what`: in words. */
export function neverOption(what: string): PermissionOption {
  return permissionOption("reject_always", "reject_always", titleLine(`Never allow ${what} in this session`));
}

function neverChoice<Decision>(
  { choices, never }: PermissionQuestion<Decision>,
  rejections: LastingRejections | undefined,
): readonly PermissionChoice<Decision>[] {
  if (never === undefined || rejections?.mayAdd(never.keys) !== true) return [];
  const { withReason } = choices.find((choice) => choice.withReason !== undefined) ?? {};
  return [{ option: neverOption(never.what), decision: never.decision, withReason }];
}

function decisionWith<Decision>({ decision, withReason }: PermissionChoice<Decision>, reason: string): Decision {
  const text = reason.trim();
  return withReason === undefined || text === "" ? decision : withReason(sliceWhole(text, maxReasonChars));
}

/** The reason that a client has sent with its answer. */
function sentReason({ _meta }: SelectedPermissionOutcome): string {
  const reason = _meta?.["reason"];
  return typeof reason === "string" ? reason : "";
}

function reasonOptions({ client, engineName, cannedReasons = [] }: AskContext): readonly PermissionOption[] {
  const hasForms = client.clientCapabilities.elicitation?.form != null;
  return [
    ...(hasForms ? [permissionOption("reject_once", writtenReason, `Reject and tell ${engineName} why`)] : []),
    ...cannedReasons.map((reason, i) => permissionOption("reject_once", `${cannedReason}${i}`, `Reject: ${reason}`)),
  ];
}

/** Empty when the user writes none; the call is rejected anyway. */
async function readReason(
  optionId: string,
  toolCallId: string,
  signal: AbortSignal,
  { client, sessionId, engineName, cannedReasons = [] }: AskContext,
): Promise<string> {
  if (optionId !== writtenReason) return cannedReasons[Number(optionId.slice(cannedReason.length))] ?? "";
  const title = `Why not? ${engineName} reads it and goes on`;
  const requestedSchema = { type: "object", properties: { reason: { type: "string", title } } } as const;
  const message = "The call is rejected. What should be done instead?";
  const asked = { mode: "form", message, sessionId: sessionId(), toolCallId, requestedSchema } as const;
  const response = await client.call("elicitation/create", asked, { signal });
  const reason = isElicitationAccepted(response) ? response.content?.["reason"] : undefined;
  return typeof reason === "string" ? reason : "";
}
