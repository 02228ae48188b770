/**
 * Schema of an entry: one line of a transcript file.
 *
 * About a dozen kinds of lines are no part of the conversation. `readEntry` returns undefined
 * for the most frequent of them, records of API requests and copies of files, without parsing
 * the line. It returns `unreadable` with a reason for a line that it cannot read.
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

/** A prompt that joined a running turn is stored in an attachment and nowhere else. */
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
  /** Null for the first entry of a conversation and after a compaction. */
  parentUuid: lenient(nullable(string)),
  /** For a compaction: the entry before it. */
  logicalParentUuid: lenient(nullable(string)),
  /** True for an entry of a subagent. */
  isSidechain: lenient(boolean),
  sessionId: lenient(string),
  timestamp: lenient(string),
  cwd: lenient(string),
  message: lenient(unknown),
  /** The structured result of the tool. */
  toolUseResult: lenient(unknown),
  /** What an MCP tool sent in addition to its content. */
  mcpMeta: lenient(record(unknown)),
  /** For a tool result: the uuid of the entry with the tool call. */
  sourceToolAssistantUUID: lenient(string),
  /** Why the tool did not run. */
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
  /** For a `last-prompt`: the conversation was taken back, and now ends with this entry; null means that it is empty. */
  rewound: lenient(boolean),
  leafUuid: lenient(nullable(string)),
});
export interface TranscriptEntry extends Static<typeof entry> {}
export const TranscriptEntry: Schema<TranscriptEntry> = entry;

export type ReadEntry =
  | { readonly kind: "entry"; readonly entry: TranscriptEntry }
  /** `rescued`: the complete entry that follows a truncated one in the same line. */
  | { readonly kind: "unreadable"; readonly why: string; readonly rescued?: TranscriptEntry | undefined };

/** Undefined for records of API requests and file copies, which are the larger part of most files. */
export function readEntry(line: string): ReadEntry | undefined {
  if (line.startsWith('{"type":"api-request') || line.startsWith('{"type":"file-history')) return undefined;
  const value = parseJson(line);
  if (value === undefined) return { kind: "unreadable", why: "not JSON", rescued: rescue(line) };
  const got = TranscriptEntry.read(value);
  return got instanceof Fault ? { kind: "unreadable", why: got.describe() } : { kind: "entry", entry: got };
}

/** A CLI that is killed while it writes leaves half a line, and the next CLI appends its first entry to that line. */
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
