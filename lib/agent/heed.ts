/**
 * Heed: what a session itself has to know of an event, besides showing it.
 */
import type { ConversationEvent } from "../claude/index.ts";
import type { Choices } from "./choices.ts";
import type { Identity } from "./identity.ts";
import type { Remarks } from "./remarks.ts";

export interface Heeding {
  readonly identity: Identity;
  readonly remarks: Remarks;
  readonly choices: Choices;
  /** A limit of the account was named, and when it ends, in seconds of the epoch. */
  readonly onLimit: (resetsAt: number) => void;
  /** Credentials that were refused once will be refused again. */
  readonly onRefused: () => void;
}

export function heed(event: ConversationEvent, { identity, remarks, choices, onLimit, onRefused }: Heeding): void {
  if (event.type === "rate_limit_event" && event.rate_limit_info.resetsAt !== undefined) {
    onLimit(event.rate_limit_info.resetsAt);
  }
  if (event.type !== "system") return;
  if (event.subtype === "init") {
    identity.heed(event);
    remarks.commands(undefined, event.terminal_slash_commands);
    remarks.servers(event.mcp_servers ?? []);
    choices.heedModel(event.model);
    choices.heedMode(event.permissionMode);
  } else if (event.subtype === "status") {
    choices.heedMode(event.permissionMode);
  } else if (event.subtype === "commands_changed") {
    remarks.commands(event.commands);
  } else if (event.subtype === "api_retry" && event.error === "authentication_failed") {
    onRefused();
  }
}
