/**
 * Heed: what a session itself has to know of an event, besides showing it.
 */
import type { ConversationEvent } from "../../claude/index.ts";
import type { SessionSettings } from "../settings/session-settings.ts";
import type { ConversationId } from "./conversation-id.ts";
import type { Announcer } from "./announcements.ts";

export interface EventTargets {
  readonly conversation: ConversationId;
  readonly announcer: Announcer;
  readonly settings: SessionSettings;
  /** A limit of the account was named, and when it ends, in seconds of the epoch. */
  readonly onLimit: (resetsAt: number) => void;
  /** Credentials that were refused once will be refused again. */
  readonly onRefused: () => void;
}

export function applyEvent(
  event: ConversationEvent,
  { conversation, announcer, settings, onLimit, onRefused }: EventTargets,
): void {
  if (event.type === "rate_limit_event" && event.rate_limit_info.resetsAt !== undefined) {
    onLimit(event.rate_limit_info.resetsAt);
  }
  if (event.type !== "system") return;
  if (event.subtype === "init") {
    conversation.update(event);
    announcer.announceCommands(undefined, event.terminal_slash_commands);
    announcer.announceServers(event.mcp_servers ?? []);
    settings.syncModel(event.model);
    settings.syncMode(event.permissionMode);
  } else if (event.subtype === "status") {
    settings.syncMode(event.permissionMode);
  } else if (event.subtype === "commands_changed") {
    announcer.announceCommands(event.commands);
  } else if (event.subtype === "api_retry" && event.error === "authentication_failed") {
    onRefused();
  }
}
