/**
 * Schemas of turns, of the errors that end them, and of token counts.
 */
import {
  either,
  errorTo,
  items,
  number,
  object,
  open,
  record,
  type Schema,
  type Static,
  string,
  unknown,
} from "../../schema/index.ts";
import { maybe } from "./maybe.ts";
import { ThreadItem } from "./thread-item.ts";

/** A name such as "usageLimitExceeded", or an object whose one key is the name: `{"httpConnectionFailed":{…}}`. */
export type CodexErrorInfo = string | Readonly<Record<string, unknown>>;
export const CodexErrorInfo: Schema<CodexErrorInfo> = either("a name or an object", string, record(unknown));

const turnError = object({
  message: errorTo(string, () => ""),
  codexErrorInfo: maybe(CodexErrorInfo),
  additionalDetails: maybe(string),
});
export interface TurnError extends Static<typeof turnError> {}
export const TurnError: Schema<TurnError> = turnError;

const turn = object({
  id: string,
  /** The turn of the main thread that a subagent's turn belongs to. */
  rootTurnId: maybe(string),
  status: open("inProgress", "completed", "interrupted", "failed"),
  error: maybe(TurnError),
  /** In history: what happened. In `turn/completed`: at most the last message. */
  items: maybe(items(ThreadItem)),
  /** Seconds since the epoch. */
  startedAt: maybe(number),
  completedAt: maybe(number),
});
export interface CodexTurn extends Static<typeof turn> {}
export const CodexTurn: Schema<CodexTurn> = turn;

const tokenCounts = object({
  totalTokens: maybe(number),
  inputTokens: maybe(number),
  cachedInputTokens: maybe(number),
  outputTokens: maybe(number),
  reasoningOutputTokens: maybe(number),
});
export interface TokenCounts extends Static<typeof tokenCounts> {}
export const TokenCounts: Schema<TokenCounts> = tokenCounts;

const tokenUsage = object({
  total: maybe(TokenCounts),
  last: maybe(TokenCounts),
  modelContextWindow: maybe(number),
});
export interface TokenUsage extends Static<typeof tokenUsage> {}
export const TokenUsage: Schema<TokenUsage> = tokenUsage;

/** The name in a `CodexErrorInfo`; undefined when it has none. */
export function errorName(info: CodexErrorInfo | null | undefined): string | undefined {
  if (info == null) return undefined;
  return typeof info === "string" ? info : Object.keys(info)[0];
}

/** The HTTP status of an error; undefined when the error has none. */
export function errorStatus(info: CodexErrorInfo | null | undefined): number | undefined {
  if (info == null || typeof info === "string") return undefined;
  const [inner] = Object.values(info);
  const status = typeof inner === "object" && inner !== null && "httpStatusCode" in inner && inner.httpStatusCode;
  return typeof status === "number" ? status : undefined;
}
