/**
 * Builders of protocol values: session updates, content blocks, options.
 *
 * Every builder returns a plain object with its keys always in the same order.
 * Combinations that the protocol does not allow do not compile. Relative paths and
 * line 0, which types cannot exclude, throw.
 */
import { Fault } from "../schema/index.ts";
import type {
  SessionConfigBoolean,
  SessionConfigOption,
  SessionConfigSelect,
  SessionConfigSelectGroup,
  SessionConfigSelectOption,
} from "./protocol/config-option.ts";
import type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  EmbeddedResourceResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from "./protocol/content.ts";
import { isAbsolutePath, LineNumber } from "./protocol/common.ts";
import type { PermissionOption, PermissionOptionKind } from "./protocol/permission.ts";
import type { PlanEntry, PlanEntryPriority, PlanEntryStatus } from "./protocol/plan.ts";
import type { Content, Diff, Terminal, ToolCallLocation } from "./protocol/tool-call.ts";
import type * as updates from "./protocol/update.ts";

/** The fields a builder does not write itself; the others are forbidden, so that a spread cannot overwrite them. */
type Rest<T, K extends keyof T> = Omit<T, K> & { readonly [P in K]?: never };

/** Content blocks. */
export const block = {
  text: (text: string): TextContent => ({ type: "text", text }),
  image: (data: string, mimeType: string, uri?: string): ImageContent => ({ type: "image", data, mimeType, uri }),
  audio: (data: string, mimeType: string): AudioContent => ({ type: "audio", data, mimeType }),
  link: (uri: string, name: string, more: Rest<ResourceLink, "type" | "uri" | "name"> = {}): ResourceLink => ({
    type: "resource_link",
    uri,
    name,
    ...more,
  }),
  resource: (resource: EmbeddedResourceResource): EmbeddedResource => ({ type: "resource", resource }),
} as const;

/** Content of a tool call. */
export const toolContent = {
  block: (content: ContentBlock | string): Content => ({ type: "content", content: asBlock(content) }),
  /** `oldText` is null for a new file. */
  diff: (path: string, oldText: string | null, newText: string): Diff => ({
    type: "diff",
    path: absolute(path),
    oldText,
    newText,
  }),
  terminal: (terminalId: string): Terminal => ({ type: "terminal", terminalId }),
} as const;

/** A place in a file; `line` counts from 1. */
export function location(path: string, line?: number): ToolCallLocation {
  const read = line === undefined ? undefined : LineNumber.read(line);
  if (read instanceof Fault) throw new RangeError(read.describe("a line"));
  return line === undefined ? { path: absolute(path) } : { path: absolute(path), line };
}

/** An entry of a plan; its priority is medium unless given. */
export function planEntry(
  content: string,
  status: PlanEntryStatus = "pending",
  priority: PlanEntryPriority = "medium",
): PlanEntry {
  return { content, priority, status };
}

/** An answer that the user can choose for a permission request. */
export function permissionOption(kind: PermissionOptionKind, optionId: string, name: string): PermissionOption {
  return { optionId, name, kind };
}

type Select = Rest<SessionConfigSelect, "type" | "id" | "options">;

/** Config options: settings that the user can change. */
export const configOption = {
  select: (id: string, options: readonly SessionConfigSelectOption[], fields: Select): SessionConfigSelect => ({
    id,
    type: "select",
    ...fields,
    options,
  }),
  grouped: (id: string, groups: readonly SessionConfigSelectGroup[], fields: Select): SessionConfigSelect => ({
    id,
    type: "select",
    ...fields,
    options: groups,
  }),
  boolean: (id: string, fields: Rest<SessionConfigBoolean, "type" | "id">): SessionConfigBoolean => ({
    id,
    type: "boolean",
    ...fields,
  }),
} as const;

/** An update's fields without its tag. */
type UpdateFields<U extends { readonly sessionUpdate: string }> = Rest<U, "sessionUpdate">;

/** Session updates, one builder for each variant. */
export const update = {
  userMessage: (content: ContentBlock | string, messageId?: string): updates.UserMessageChunk => ({
    sessionUpdate: "user_message_chunk",
    content: asBlock(content),
    messageId,
  }),
  agentMessage: (content: ContentBlock | string, messageId?: string): updates.AgentMessageChunk => ({
    sessionUpdate: "agent_message_chunk",
    content: asBlock(content),
    messageId,
  }),
  agentThought: (content: ContentBlock | string, messageId?: string): updates.AgentThoughtChunk => ({
    sessionUpdate: "agent_thought_chunk",
    content: asBlock(content),
    messageId,
  }),
  toolCall: (fields: UpdateFields<updates.ToolCallStarted>): updates.ToolCallStarted => ({
    sessionUpdate: "tool_call",
    ...fields,
  }),
  /** Fields that are left out stay unchanged; `content` and `locations` replace the earlier ones. */
  toolCallUpdate: (fields: UpdateFields<updates.ToolCallChanged>): updates.ToolCallChanged => ({
    sessionUpdate: "tool_call_update",
    ...fields,
  }),
  /** Always the whole plan. */
  plan: (entries: readonly PlanEntry[]): updates.Plan => ({ sessionUpdate: "plan", entries }),
  availableCommands: (availableCommands: readonly updates.AvailableCommand[]): updates.AvailableCommandsUpdate => ({
    sessionUpdate: "available_commands_update",
    availableCommands,
  }),
  currentMode: (currentModeId: string): updates.CurrentModeUpdate => ({
    sessionUpdate: "current_mode_update",
    currentModeId,
  }),
  /** Always all options. */
  configOptions: (configOptions: readonly SessionConfigOption[]): updates.ConfigOptionUpdate => ({
    sessionUpdate: "config_option_update",
    configOptions,
  }),
  sessionInfo: (fields: UpdateFields<updates.SessionInfoUpdate>): updates.SessionInfoUpdate => ({
    sessionUpdate: "session_info_update",
    ...fields,
  }),
  usage: (used: number, size: number, cost?: updates.Cost): updates.UsageUpdate => ({
    sessionUpdate: "usage_update",
    used,
    size,
    cost,
  }),
  notice: (severity: updates.NoticeSeverity, title: string, description?: string): updates.Notice => ({
    sessionUpdate: "notice",
    severity,
    title,
    description,
  }),
  compaction: (fields: UpdateFields<updates.CompactionUpdate>): updates.CompactionUpdate => ({
    sessionUpdate: "compaction_update",
    ...fields,
  }),
  compactionSummary: (compactionId: string, content: ContentBlock | string): updates.CompactionSummaryChunk => ({
    sessionUpdate: "compaction_summary_chunk",
    compactionId,
    content: asBlock(content),
  }),
} as const;

function asBlock(content: ContentBlock | string): ContentBlock {
  return typeof content === "string" ? block.text(content) : content;
}

function absolute(path: string): string {
  if (!isAbsolutePath(path)) throw new RangeError("a path must be absolute");
  return path;
}
