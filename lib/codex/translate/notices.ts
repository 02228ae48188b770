/**
 * Builds the notices about warnings, retries and MCP servers that Codex reports.
 */
import type { NoticeSeverity } from "../../acp/index.ts";
import { notice, type Updates } from "../../display/index.ts";
import { markInvisible } from "../../schema/index.ts";
import { errorStatus, type TurnError } from "../protocol/index.ts";
import type { CodexState } from "./state/codex-state.ts";

/** A notice with text that Codex wrote, shown once. The first sentence becomes the title. */
export function warningNotice(
  state: CodexState,
  severity: NoticeSeverity,
  message: string,
  details?: string | null,
): Updates {
  const text = markInvisible(message.trim());
  if (text === "" || !state.isNews(text)) return [];
  const [, title = text, rest] = /^([\s\S]*?[.!?])\s+([\s\S]+)$/.exec(text) ?? [];
  const more = [rest, details].filter((part) => part != null && part !== "").join("\n");
  if (!state.view.showsNotices && rest !== undefined && details == null) return [notice(state.view, severity, text)];
  return [notice(state.view, severity, title, more === "" ? undefined : more)];
}

/** Codex asks the API again. The same words are not repeated in a turn. */
export function retryNotice(state: CodexState, error: TurnError): Updates {
  const status = errorStatus(error.codexErrorInfo);
  // The turn is ended when credentials fail; a notice about retries would mislead.
  if (status === 401) return [];
  const text = retryText(error, status);
  if (text === state.lastRetry) return [];
  state.lastRetry = text;
  return [notice(state.view, "info", text)];
}

function retryText({ message, additionalDetails }: TurnError, status: number | undefined): string {
  if (/waiting for network/i.test(message)) return "There is no connection to the API. Codex keeps trying.";
  const [, attempt, all] = /(\d+)\/(\d+)/.exec(message) ?? [];
  const which = attempt === undefined ? "" : ` (attempt ${attempt} of ${all})`;
  return `${retryReason(status, additionalDetails ?? "")}, trying again${which}.`;
}

function retryReason(status: number | undefined, details: string): string {
  if (status === 429) return "The API's rate limit is reached";
  if (status === 403) return "The API refuses the request";
  if (/high demand|overloaded/i.test(details)) return "The API is overloaded";
  return status === undefined ? "The connection to the API broke" : `The API failed (${status})`;
}

/** The error is a chain of causes, of which the first ones help the user. */
export function mcpServerNotice(state: CodexState, name: string, error: string | null | undefined): Updates {
  const title = `The MCP server ${markInvisible(name)} could not be started`;
  if (!state.isNews(title)) return [];
  const [line = ""] = (error ?? "").split("\n");
  const causes = line.replace(/^(?:MCP (?:startup failed|client for `[^`]*` failed to start): )+/, "").split(": ");
  const reason = causes.slice(0, 2).join(": ");
  return [notice(state.view, "warning", title, reason === "" ? undefined : markInvisible(reason))];
}
