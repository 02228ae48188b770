/**
 * Translates the end of a turn into an ACP stop reason or a failure that says what the user
 * can do.
 *
 * `codexErrorInfo` decides, and the message only where Codex gives nothing else.
 */
import type { StopReason } from "../../acp/index.ts";
import { EngineFailure, type EngineFailureKind, type TurnEnd } from "../../engine/index.ts";
import { isRecord, markInvisible, sliceWhole, textIn } from "../../schema/index.ts";
import { type CodexNotification, errorName, errorStatus, type CodexTurn, type TurnError } from "../protocol/index.ts";

const maxMessageChars = 1000;

const stops: ReadonlyMap<string, StopReason> = new Map([["contextWindowExceeded", "max_tokens"]]);

const failures: ReadonlyMap<string, EngineFailureKind> = new Map([
  ["unauthorized", "not_signed_in"],
  ["usageLimitExceeded", "limit"],
  ["sessionBudgetExceeded", "limit"],
  ["responseTooManyFailedAttempts", "api"],
  ["internalServerError", "api"],
  ["serverOverloaded", "api"],
  ["badRequest", "api"],
  ["modelNotFound", "api"],
  ["httpConnectionFailed", "api"],
  ["responseStreamConnectionFailed", "api"],
  ["responseStreamDisconnected", "api"],
]);

/** `now` is used to read times of day such as "try again at 8:13 PM". */
export function turnEndOf(turn: CodexTurn, now: Date): TurnEnd {
  if (turn.status === "completed") return stopped("end_turn");
  if (turn.status === "interrupted") return stopped("cancelled");
  return errorEnd(turn.error ?? { message: "" }, now);
}

/**
 * The end of a turn that Codex would go on with in vain: the API does not accept the
 * credentials. Undefined for everything else.
 */
export function earlyEndOf(notification: CodexNotification, now: Date): TurnEnd | undefined {
  if (notification.method !== "error" || notification.params.willRetry !== true) return undefined;
  const { error } = notification.params;
  if (errorStatus(error.codexErrorInfo) !== 401) return undefined;
  return errorEnd({ ...error, message: error.additionalDetails ?? error.message }, now);
}

function errorEnd(error: TurnError, now: Date): TurnEnd {
  const name = errorName(error.codexErrorInfo) ?? "other";
  const stop = stops.get(name);
  if (stop !== undefined) return stopped(stop);
  const message = readable(error.message);
  if (name === "other" && message.endsWith("reason: max_output_tokens")) return stopped("max_tokens");
  const kind = kindOf(name, errorStatus(error.codexErrorInfo), message);
  const resetsAt = kind === "limit" ? resetTime(message, now) : undefined;
  return { kind: "failed", failure: new EngineFailure(kind, sentence(kind, message), { resetsAt }) };
}

function kindOf(name: string, status: number | undefined, message: string): EngineFailureKind {
  if (status === 401) return "not_signed_in";
  if (status === 429) return "limit";
  if (/^Missing environment variable\b/.test(message)) return "not_signed_in";
  const known = failures.get(name);
  if (known !== undefined) return known;
  return name === "other" && /^(?:unexpected status|stream disconnected|Incomplete response)/.test(message)
    ? "api"
    : "other";
}

function sentence(kind: EngineFailureKind, message: string): string {
  const said = message === "" ? "the turn failed without saying why" : message;
  if (kind === "not_signed_in") {
    return `Codex is not signed in: ${said.replace(/^unexpected status \d+ [A-Z][a-z]+: /, "")}`;
  }
  if (kind === "limit") return `A limit of Codex is reached: ${said}`;
  if (kind === "api") return `Codex got an error from the API: ${said.replace(/^unexpected status /, "")}`;
  return `Codex failed: ${said}`;
}

/** The message without addresses and prefixes; of a JSON body, the message in it. */
function readable(message: string): string {
  const text = bodyMessage(message) ?? message;
  const shown = text.replace(/, (?:url|cf-ray|request id): [\s\S]*$/, "").trim();
  return markInvisible(sliceWhole(shown, maxMessageChars));
}

function bodyMessage(text: string): string | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const body: unknown = JSON.parse(text);
    const error = isRecord(body) ? body["error"] : undefined;
    if (isRecord(error)) return textIn(error, "message");
    return isRecord(body) ? textIn(body, "message", "detail") : undefined;
  } catch {
    return undefined;
  }
}

/** The next time of day that the message names, in seconds since the epoch. */
function resetTime(message: string, now: Date): number | undefined {
  const [, day, hours, minutes, half] =
    /try again at (?:(\w{3} \d{1,2}\w{2}, \d{4}) )?(\d{1,2}):(\d{2})(?:\s*([AP]M))?/i.exec(message) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toUpperCase() === "PM" ? 12 : 0);
  const date = day === undefined ? new Date(now) : new Date(day.replace(/(\d)(?:st|nd|rd|th)\b/i, "$1"));
  if (Number.isNaN(date.getTime()) || hour > 23 || Number(minutes) > 59) return undefined;
  date.setHours(hour, Number(minutes), 0, 0);
  if (day === undefined && date <= now) date.setDate(date.getDate() + 1);
  return Math.floor(date.getTime() / 1000);
}

function stopped(stopReason: StopReason): TurnEnd {
  return { kind: "stopped", stopReason };
}
