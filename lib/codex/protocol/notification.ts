/**
 * `CodexNotification`: the schema of the notifications of `codex app-server`.
 *
 * Keys keep their wire names. A notification with another method, or in a shape that
 * cannot be read, becomes an `UnknownMessage`, never an error.
 */
import {
  boolean,
  errorTo,
  isRecord,
  items,
  literal,
  number,
  object,
  open,
  type Schema,
  type Static,
  string,
  tagged,
  textOf,
  unknown,
} from "../../schema/index.ts";
import { orUnknownMessage, type UnknownMessage } from "../unknown.ts";
import { RateLimits } from "./host-data.ts";
import { maybe } from "./maybe.ts";
import { Thread, ThreadSettings } from "./thread.ts";
import { FileUpdateChange, ThreadItem } from "./thread-item.ts";
import { TokenUsage, CodexTurn, TurnError } from "./turn.ts";

const inThread = { threadId: string } as const;
const inTurn = { threadId: string, turnId: maybe(string) } as const;
const ofItem = { ...inTurn, itemId: string } as const;

const itemStarted = object({ method: literal("item/started"), params: object({ ...inTurn, item: ThreadItem }) });
export interface ItemStarted extends Static<typeof itemStarted> {}

const itemCompleted = object({ method: literal("item/completed"), params: object({ ...inTurn, item: ThreadItem }) });
export interface ItemCompleted extends Static<typeof itemCompleted> {}

const agentMessageDelta = object({
  method: literal("item/agentMessage/delta"),
  params: object({ ...ofItem, delta: string }),
});
export interface AgentMessageDelta extends Static<typeof agentMessageDelta> {}

const planDelta = object({ method: literal("item/plan/delta"), params: object({ ...ofItem, delta: string }) });
export interface PlanDelta extends Static<typeof planDelta> {}

const reasoningSummaryDelta = object({
  method: literal("item/reasoning/summaryTextDelta"),
  params: object({ ...ofItem, delta: string, summaryIndex: maybe(number) }),
});
export interface ReasoningSummaryDelta extends Static<typeof reasoningSummaryDelta> {}

const reasoningSummaryPart = object({
  method: literal("item/reasoning/summaryPartAdded"),
  params: object({ ...ofItem, summaryIndex: maybe(number) }),
});
export interface ReasoningSummaryPart extends Static<typeof reasoningSummaryPart> {}

const reasoningTextDelta = object({
  method: literal("item/reasoning/textDelta"),
  params: object({ ...ofItem, delta: string, contentIndex: maybe(number) }),
});
export interface ReasoningTextDelta extends Static<typeof reasoningTextDelta> {}

const commandOutputDelta = object({
  method: literal("item/commandExecution/outputDelta"),
  params: object({ ...ofItem, delta: string }),
});
export interface CommandOutputDelta extends Static<typeof commandOutputDelta> {}

/** The model sent text to the input of a running command. */
const terminalInteraction = object({
  method: literal("item/commandExecution/terminalInteraction"),
  params: object({ ...ofItem, stdin: maybe(string) }),
});
export interface TerminalInteraction extends Static<typeof terminalInteraction> {}

/** The patch so far, with relative paths; only with the feature `apply_patch_streaming_events`. */
const patchUpdated = object({
  method: literal("item/fileChange/patchUpdated"),
  params: object({ ...ofItem, changes: maybe(items(FileUpdateChange)) }),
});
export interface PatchUpdated extends Static<typeof patchUpdated> {}

const mcpToolCallProgress = object({
  method: literal("item/mcpToolCall/progress"),
  params: object({ ...ofItem, message: maybe(string) }),
});
export interface McpToolCallProgress extends Static<typeof mcpToolCallProgress> {}

const review = object({ status: maybe(string), riskLevel: maybe(string), rationale: maybe(string) });
/** A second model decided about an approval. */
const autoReviewCompleted = object({
  method: literal("item/autoApprovalReview/completed"),
  params: object({ ...inTurn, targetItemId: maybe(string), review: maybe(review) }),
});
export interface AutoReviewCompleted extends Static<typeof autoReviewCompleted> {}

const turnStarted = object({ method: literal("turn/started"), params: object({ ...inThread, turn: CodexTurn }) });
export interface TurnStarted extends Static<typeof turnStarted> {}

const turnCompleted = object({ method: literal("turn/completed"), params: object({ ...inThread, turn: CodexTurn }) });
export interface TurnCompleted extends Static<typeof turnCompleted> {}

const planStep = object({ step: string, status: maybe(open("pending", "inProgress", "completed")) });
const turnPlanUpdated = object({
  method: literal("turn/plan/updated"),
  params: object({ ...inTurn, explanation: maybe(string), plan: errorTo(items(planStep), () => []) }),
});
export interface TurnPlanUpdated extends Static<typeof turnPlanUpdated> {}

const turnFailed = object({
  method: literal("error"),
  params: object({ ...inTurn, error: TurnError, willRetry: maybe(boolean) }),
});
/** The method `error`: the API refused or did not answer. */
export interface TurnFailed extends Static<typeof turnFailed> {}

const tokenUsageUpdated = object({
  method: literal("thread/tokenUsage/updated"),
  params: object({ ...inTurn, tokenUsage: TokenUsage }),
});
export interface TokenUsageUpdated extends Static<typeof tokenUsageUpdated> {}

const threadStarted = object({ method: literal("thread/started"), params: object({ thread: Thread }) });
export interface ThreadStarted extends Static<typeof threadStarted> {}

const threadStatus = object({
  type: open("active", "idle", "systemError", "notLoaded"),
  activeFlags: maybe(items(string)),
});
const threadStatusChanged = object({
  method: literal("thread/status/changed"),
  params: object({ ...inThread, status: threadStatus }),
});
export interface ThreadStatusChanged extends Static<typeof threadStatusChanged> {}

const threadNameUpdated = object({
  method: literal("thread/name/updated"),
  params: object({ ...inThread, threadName: maybe(string) }),
});
export interface ThreadNameUpdated extends Static<typeof threadNameUpdated> {}

const threadSettingsUpdated = object({
  method: literal("thread/settings/updated"),
  params: object({ ...inThread, threadSettings: ThreadSettings }),
});
export interface ThreadSettingsUpdated extends Static<typeof threadSettingsUpdated> {}

const threadClosed = object({ method: literal("thread/closed"), params: object(inThread) });
export interface ThreadClosed extends Static<typeof threadClosed> {}

const modelRerouted = object({
  method: literal("model/rerouted"),
  params: object({ ...inTurn, fromModel: maybe(string), toModel: maybe(string), reason: maybe(unknown) }),
});
export interface ModelRerouted extends Static<typeof modelRerouted> {}

const warningParams = object({ threadId: maybe(string), message: string });
const warning = object({ method: literal("warning"), params: warningParams });
export interface Warning extends Static<typeof warning> {}
const guardianWarning = object({ method: literal("guardianWarning"), params: warningParams });
export interface GuardianWarning extends Static<typeof guardianWarning> {}

const summaryParams = object({ threadId: maybe(string), summary: string, details: maybe(string) });
const configWarning = object({ method: literal("configWarning"), params: summaryParams });
export interface ConfigWarning extends Static<typeof configWarning> {}
const deprecationNotice = object({ method: literal("deprecationNotice"), params: summaryParams });
export interface DeprecationNotice extends Static<typeof deprecationNotice> {}

const mcpServerStatus = object({
  method: literal("mcpServer/startupStatus/updated"),
  params: object({
    threadId: maybe(string),
    name: string,
    status: open("starting", "ready", "failed", "cancelled"),
    error: maybe(string),
  }),
});
export interface McpServerStartup extends Static<typeof mcpServerStatus> {}

/** A request of Codex is answered or withdrawn. */
const serverRequestResolved = object({
  method: literal("serverRequest/resolved"),
  params: object({ ...inThread, requestId: unknown }),
});
export interface ServerRequestResolved extends Static<typeof serverRequestResolved> {}

const accountUpdated = object({ method: literal("account/updated"), params: object({ authMode: maybe(string) }) });
export interface AccountUpdated extends Static<typeof accountUpdated> {}

const loginCompleted = object({
  method: literal("account/login/completed"),
  params: object({ loginId: maybe(string), success: maybe(boolean), error: maybe(string) }),
});
export interface LoginCompleted extends Static<typeof loginCompleted> {}

const rateLimitsUpdated = object({
  method: literal("account/rateLimits/updated"),
  params: object({
    rateLimits: RateLimits,
  }),
});
export interface RateLimitsUpdated extends Static<typeof rateLimitsUpdated> {}

const skillsChanged = object({ method: literal("skills/changed"), params: maybe(unknown) });
export interface SkillsChanged extends Static<typeof skillsChanged> {}

export type KnownNotification =
  | ItemStarted
  | ItemCompleted
  | AgentMessageDelta
  | PlanDelta
  | ReasoningSummaryDelta
  | ReasoningSummaryPart
  | ReasoningTextDelta
  | CommandOutputDelta
  | TerminalInteraction
  | PatchUpdated
  | McpToolCallProgress
  | AutoReviewCompleted
  | TurnStarted
  | TurnCompleted
  | TurnPlanUpdated
  | TurnFailed
  | TokenUsageUpdated
  | ThreadStarted
  | ThreadStatusChanged
  | ThreadNameUpdated
  | ThreadSettingsUpdated
  | ThreadClosed
  | ModelRerouted
  | Warning
  | GuardianWarning
  | ConfigWarning
  | DeprecationNotice
  | McpServerStartup
  | ServerRequestResolved
  | AccountUpdated
  | LoginCompleted
  | RateLimitsUpdated
  | SkillsChanged;

export type CodexNotification = KnownNotification | UnknownMessage;
export const CodexNotification: Schema<CodexNotification> = orUnknownMessage<KnownNotification>(
  tagged("method", {
    "item/agentMessage/delta": agentMessageDelta,
    "item/commandExecution/outputDelta": commandOutputDelta,
    "item/started": itemStarted,
    "item/completed": itemCompleted,
    "item/plan/delta": planDelta,
    "item/reasoning/summaryTextDelta": reasoningSummaryDelta,
    "item/reasoning/summaryPartAdded": reasoningSummaryPart,
    "item/reasoning/textDelta": reasoningTextDelta,
    "item/commandExecution/terminalInteraction": terminalInteraction,
    "item/fileChange/patchUpdated": patchUpdated,
    "item/mcpToolCall/progress": mcpToolCallProgress,
    "item/autoApprovalReview/completed": autoReviewCompleted,
    "turn/started": turnStarted,
    "turn/completed": turnCompleted,
    "turn/plan/updated": turnPlanUpdated,
    error: turnFailed,
    "thread/tokenUsage/updated": tokenUsageUpdated,
    "thread/started": threadStarted,
    "thread/status/changed": threadStatusChanged,
    "thread/name/updated": threadNameUpdated,
    "thread/settings/updated": threadSettingsUpdated,
    "thread/closed": threadClosed,
    "model/rerouted": modelRerouted,
    warning,
    guardianWarning,
    configWarning,
    deprecationNotice,
    "mcpServer/startupStatus/updated": mcpServerStatus,
    "serverRequest/resolved": serverRequestResolved,
    "account/updated": accountUpdated,
    "account/login/completed": loginCompleted,
    "account/rateLimits/updated": rateLimitsUpdated,
    "skills/changed": skillsChanged,
  }),
);

/** The thread that a message is about; undefined for those about the whole program. */
export function threadIdOf(message: { readonly params?: unknown; readonly value?: unknown }): string | undefined {
  const params = isRecord(message.value) ? message.value["params"] : message.params;
  return isRecord(params) ? textOf(params["threadId"]) : undefined;
}
