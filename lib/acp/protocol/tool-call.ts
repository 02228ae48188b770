/**
 * Schemas of tool calls: what the agent does, as the editor shows it.
 */
import {
  items,
  lenient,
  literal,
  nullable,
  oneOf,
  type Schema,
  type Static,
  string,
  tagged,
  unknown,
} from "../../schema/index.ts";
import { ContentBlock } from "./content.ts";
import { LineNumber, withMeta } from "./common.ts";

export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "switch_mode"
  | "other";
export const ToolKind: Schema<ToolKind> = oneOf(
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
);

export type ToolCallStatus = "pending" | "in_progress" | "completed" | "failed";
export const ToolCallStatus: Schema<ToolCallStatus> = oneOf("pending", "in_progress", "completed", "failed");

const content = withMeta({ type: literal("content"), content: ContentBlock });
export interface Content extends Static<typeof content> {}
export const Content: Schema<Content> = content;

const diff = withMeta({
  type: literal("diff"),
  /** Absolute. */
  path: string,
  /** Null or left out for a new file; "" for a file that was empty. */
  oldText: lenient(nullable(string)),
  newText: string,
});
export interface Diff extends Static<typeof diff> {}
export const Diff: Schema<Diff> = diff;

const terminal = withMeta({ type: literal("terminal"), terminalId: string });
export interface Terminal extends Static<typeof terminal> {}
export const Terminal: Schema<Terminal> = terminal;

export type ToolCallContent = Content | Diff | Terminal;
export const ToolCallContent: Schema<ToolCallContent> = tagged("type", {
  content: Content,
  diff: Diff,
  terminal: Terminal,
});

const toolCallLocation = withMeta({
  /** Absolute. */
  path: string,
  /** From 1. */
  line: lenient(nullable(LineNumber)),
});
export interface ToolCallLocation extends Static<typeof toolCallLocation> {}
export const ToolCallLocation: Schema<ToolCallLocation> = toolCallLocation;

/** The fields of a tool call when it is first reported. */
export const toolCallFields = {
  /** Stable for the life of the call. */
  toolCallId: string,
  /** Describes the call for the user. */
  title: string,
  /** The name of the tool, for programs. */
  name: lenient(nullable(string)),
  kind: lenient(ToolKind),
  status: lenient(ToolCallStatus),
  content: lenient(items(ToolCallContent)),
  locations: lenient(items(ToolCallLocation)),
  rawInput: lenient(unknown),
  rawOutput: lenient(unknown),
};

/** The fields of a change to a tool call: left-out fields stay unchanged, collections are replaced. */
export const toolCallChangeFields = {
  toolCallId: string,
  title: lenient(nullable(string)),
  name: lenient(nullable(string)),
  kind: lenient(nullable(ToolKind)),
  status: lenient(nullable(ToolCallStatus)),
  content: lenient(nullable(items(ToolCallContent))),
  locations: lenient(nullable(items(ToolCallLocation))),
  rawInput: lenient(unknown),
  rawOutput: lenient(unknown),
};

const toolCallUpdate = withMeta(toolCallChangeFields);
/** A tool call inside a permission request. */
export interface ToolCallUpdate extends Static<typeof toolCallUpdate> {}
export const ToolCallUpdate: Schema<ToolCallUpdate> = toolCallUpdate;
