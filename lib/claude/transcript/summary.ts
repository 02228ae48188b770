/**
 * Extracts the title and working directory of a session from its transcript.
 *
 * Takes the text of the beginning and the end of the file, not the file. Lines cut off at
 * the edge of these texts are ignored. A line is parsed only if it can contain something
 * that is needed.
 */
import { isRecord, sliceWhole } from "../../schema/index.ts";
import { visibleBlocks, soleText } from "./raw-blocks.ts";
import { readEntry, type TranscriptEntry } from "./entry.ts";
import { parseUserText } from "./user-text.ts";

export interface TranscriptSummary {
  readonly cwd: string;
  /** One line of text; undefined when there is neither a title nor a prompt. */
  readonly title: string | undefined;
}

const maxTitleChars = 128;

/** Undefined for a subagent's file or one without a conversation. `tail` is empty when `head` is the whole file. */
export function summarize(head: string, tail: string): TranscriptSummary | undefined {
  const first = wholeLines(head, false, tail !== "");
  const last = wholeLines(tail, true, false);
  if (isSubagentFile(first)) return undefined;
  const found: SummaryFields = {};
  for (const line of first) collect(found, line);
  const hasPrompt = found.firstPrompt !== undefined || found.hasAnswer === true || isCutPrompt(head, tail);
  for (const line of last) collect(found, line);
  const isConversation =
    hasPrompt || found.firstPrompt !== undefined || found.lastPrompt !== undefined || found.hasAnswer === true;
  const cwd = found.relocated ?? found.cwd;
  if (!isConversation || cwd === undefined) return undefined;
  const title = [found.custom, found.ai, found.lastPrompt, found.summary, found.firstPrompt].find(
    (text) => text !== undefined && text.trim() !== "",
  );
  return { cwd, title: title === undefined ? undefined : titleOf(title) };
}

interface SummaryFields {
  custom?: string;
  ai?: string;
  lastPrompt?: string;
  summary?: string;
  firstPrompt?: string;
  cwd?: string;
  relocated?: string;
  hasAnswer?: boolean;
}

/** Matches the lines that are worth parsing. */
const relevantLine = /"(?:customTitle|aiTitle|lastPrompt|relocatedCwd)":|"type":"(?:user|assistant|summary)"/;

function collect(found: SummaryFields, line: string): void {
  // Once the first prompt, the cwd and an answer are known, the long lines of the conversation are not needed.
  const needsConversation = found.firstPrompt === undefined || found.cwd === undefined || found.hasAnswer !== true;
  if (!needsConversation && line.startsWith('{"parentUuid"')) return;
  if (!relevantLine.test(line)) return;
  const got = readEntry(line);
  const entry = got?.kind === "entry" ? got.entry : got?.rescued;
  if (entry === undefined || entry.isSidechain === true) return;
  switch (entry.type) {
    case "custom-title":
      return put(found, "custom", entry.customTitle);
    case "ai-title":
      return put(found, "ai", entry.aiTitle);
    case "last-prompt":
      return put(found, "lastPrompt", entry.lastPrompt);
    case "summary":
      return put(found, "summary", entry.summary);
    case "relocated":
      return put(found, "relocated", entry.relocatedCwd);
    case "assistant":
      found.hasAnswer = true;
      return put(found, "cwd", found.cwd ?? entry.cwd);
    case "user": {
      put(found, "cwd", found.cwd ?? entry.cwd);
      if (found.firstPrompt === undefined) put(found, "firstPrompt", promptOf(entry));
    }
  }
}

function put(found: SummaryFields, key: Exclude<keyof SummaryFields, "hasAnswer">, text: string | undefined): void {
  if (text !== undefined) found[key] = text;
}

/** The user's prompt, if the entry is one. */
function promptOf(entry: TranscriptEntry): string | undefined {
  if (entry.isMeta === true || entry.isCompactSummary === true || !isRecord(entry.message)) return undefined;
  if (entry.origin?.kind !== undefined && entry.origin.kind !== "human") return undefined;
  const shown = visibleBlocks(entry.message["content"]);
  const text = soleText(shown) ?? (Array.isArray(shown) ? firstText(shown) : undefined);
  const parsed = text === undefined ? undefined : parseUserText(text);
  return parsed?.kind === "prompt" && parsed.text.trim() !== "" ? parsed.text : undefined;
}

function firstText(blocks: readonly unknown[]): string | undefined {
  for (const block of blocks) {
    const text = isRecord(block) && block["type"] === "text" ? block["text"] : undefined;
    if (typeof text === "string") return text;
  }
  return undefined;
}

/** Whether the file is a subagent's: then its first line is marked as such. */
function isSubagentFile([first = ""]: readonly string[]): boolean {
  return first.includes('"isSidechain":true') && first.startsWith("{");
}

/** Whether the head ends within a prompt that is longer than the head. */
function isCutPrompt(head: string, tail: string): boolean {
  return (
    tail !== "" &&
    head
      .slice(head.lastIndexOf("\n") + 1)
      .slice(0, maxOpeningChars)
      .includes('"type":"user"')
  );
}

function wholeLines(text: string, isCutBefore: boolean, isCutAfter: boolean): readonly string[] {
  const lines = text.split("\n");
  if (isCutBefore) lines.shift();
  if (isCutAfter) lines.pop();
  return lines;
}

function titleOf(text: string): string {
  const line = text
    .slice(0, maxTitleChars * maxBlankFactor)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length <= maxTitleChars ? line : `${sliceWhole(line, maxTitleChars - 1)}…`;
}

/** How many characters at the start of a line are searched for its type. */
const maxOpeningChars = 1024;
/** How many times `maxTitleChars` are read, because much of the text may be white space. */
const maxBlankFactor = 16;
