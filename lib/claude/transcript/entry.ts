/**
 * Transcript entries: one line of a session's file as a typed value.
 *
 * The file has a dozen kinds of bookkeeping beside the conversation; whatever
 * has no part in what people saw is `undefined` here. What cannot be read says so.
 */
import {
  boolean,
  Fault,
  lenient,
  nullable,
  number,
  object,
  record,
  type Schema,
  type Static,
  string,
  unknown,
} from "../../schema/index.ts";
import { parseJson } from "../../wire/index.ts";
import { Origin } from "../protocol/result.ts";

/** A prompt that was handed into a running turn stands in an attachment and nowhere else. */
const attachment = object({
  type: lenient(string),
  prompt: lenient(unknown),
  source_uuid: lenient(string),
  origin: lenient(Origin),
  isMeta: lenient(boolean),
});

const permissionDecision = object({
  decision: lenient(string),
  source: lenient(string),
  reasonType: lenient(string),
});

const compactMetadata = object({
  trigger: lenient(string),
  preTokens: lenient(number),
  postTokens: lenient(number),
  durationMs: lenient(number),
});

const entry = object({
  type: string,
  subtype: lenient(string),
  uuid: lenient(string),
  /** Null for the first of a conversation and after a compaction. */
  parentUuid: lenient(nullable(string)),
  /** What came before a compaction. */
  logicalParentUuid: lenient(nullable(string)),
  /** A subagent's. */
  isSidechain: lenient(boolean),
  sessionId: lenient(string),
  timestamp: lenient(string),
  cwd: lenient(string),
  message: lenient(unknown),
  /** The tool's structured answer. */
  toolUseResult: lenient(unknown),
  /** What an MCP tool said beside its result. */
  mcpMeta: lenient(record(unknown)),
  /** The line of the call that a result answers. */
  sourceToolAssistantUUID: lenient(string),
  /** Why a tool never ran. */
  toolDenialKind: lenient(string),
  permissionDecision: lenient(permissionDecision),
  isMeta: lenient(boolean),
  isCompactSummary: lenient(boolean),
  isVisibleInTranscriptOnly: lenient(boolean),
  origin: lenient(Origin),
  isApiErrorMessage: lenient(boolean),
  error: lenient(string),
  isAbortedMidStream: lenient(boolean),
  attachment: lenient(attachment),
  compactMetadata: lenient(compactMetadata),
  content: lenient(unknown),
  level: lenient(string),
  customTitle: lenient(string),
  aiTitle: lenient(string),
  lastPrompt: lenient(string),
  summary: lenient(string),
  relocatedCwd: lenient(string),
});
export interface TranscriptEntry extends Static<typeof entry> {}
export const TranscriptEntry: Schema<TranscriptEntry> = entry;

export type ReadEntry =
  | { readonly kind: "entry"; readonly entry: TranscriptEntry }
  /** `rescued`: what stood behind it in the same line, after a write that was cut off. */
  | { readonly kind: "unreadable"; readonly why: string; readonly rescued?: TranscriptEntry | undefined };

/** Undefined for lines that are only about requests to the API and copies of files: the larger part of most files. */
export function readEntry(line: string): ReadEntry | undefined {
  if (line.startsWith('{"type":"api-request') || line.startsWith('{"type":"file-history')) return undefined;
  const value = parseJson(line);
  if (value === undefined) return { kind: "unreadable", why: "not JSON", rescued: rescue(line) };
  const got = TranscriptEntry.read(value);
  return got instanceof Fault ? { kind: "unreadable", why: got.describe() } : { kind: "entry", entry: got };
}

/** A CLI that was killed while it wrote leaves half a line, and the next one goes on right behind it. */
function rescue(line: string): TranscriptEntry | undefined {
  let tries = 0;
  for (const { index } of line.matchAll(/\{"(?:parentUuid|type)":/g)) {
    if (index === 0) continue;
    if (++tries > maxRescues) return undefined;
    const got = TranscriptEntry.read(parseJson(line.slice(index)));
    if (!(got instanceof Fault)) return got;
  }
  return undefined;
}

const maxRescues = 8;
