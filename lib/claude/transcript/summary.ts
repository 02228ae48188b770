/**
 * Transcript summary: the beginning and the end of a session's file as one row of
 * a list.
 *
 * Takes text, not files. Lines that are cut by the edge of what was read are left
 * alone; a line is only parsed when it can say something a row needs.
 */
import { isRecord, sliceWhole } from "../../schema/index.ts";
import { visibleBlocks, soleText } from "./raw-blocks.ts";
import { readEntry, type TranscriptEntry } from "./entry.ts";
import { parseUserText } from "./user-text.ts";

export interface TranscriptSummary {
  readonly cwd: string;
  /** One line; undefined when nothing in the file says what it is about. */
  readonly title: string | undefined;
}

const maxTitleChars = 128;

/** Undefined for a file without a conversation of its own. `tail` is empty when `head` is the whole file. */
export function summarize(head: string, tail: string): TranscriptSummary | undefined {
  const first = wholeLines(head, false, tail !== "");
  const last = wholeLines(tail, true, false);
  if (isSubagents(first)) return undefined;
  const found: Found = {};
  for (const line of first) note(found, line);
  const hasPrompt = found.firstPrompt !== undefined || found.hasAnswer === true || isCutPrompt(head, tail);
  for (const line of last) note(found, line);
  const isConversation =
    hasPrompt || found.firstPrompt !== undefined || found.lastPrompt !== undefined || found.hasAnswer === true;
  const cwd = found.relocated ?? found.cwd;
  if (!isConversation || cwd === undefined) return undefined;
  const title = [found.custom, found.ai, found.lastPrompt, found.summary, found.firstPrompt].find(
    (text) => text !== undefined && text.trim() !== "",
  );
  return { cwd, title: title === undefined ? undefined : titleOf(title) };
}

interface Found {
  custom?: string;
  ai?: string;
  lastPrompt?: string;
  summary?: string;
  firstPrompt?: string;
  cwd?: string;
  relocated?: string;
  hasAnswer?: boolean;
}

/** What a line must hold somewhere to be worth parsing. */
const telling = /"(?:customTitle|aiTitle|lastPrompt|relocatedCwd)":|"type":"(?:user|assistant|summary)"/;

function note(found: Found, line: string): void {
  // Once there is a first prompt and a cwd, the long lines have nothing more to say.
  const needsConversation = found.firstPrompt === undefined || found.cwd === undefined || found.hasAnswer !== true;
  if (!needsConversation && line.startsWith('{"parentUuid"')) return;
  if (!telling.test(line)) return;
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

function put(found: Found, key: Exclude<keyof Found, "hasAnswer">, text: string | undefined): void {
  if (text !== undefined) found[key] = text;
}

/** What a person said first, if this is it. */
function promptOf(entry: TranscriptEntry): string | undefined {
  if (entry.isMeta === true || entry.isCompactSummary === true || !isRecord(entry.message)) return undefined;
  if (entry.origin?.kind !== undefined && entry.origin.kind !== "human") return undefined;
  const shown = visibleBlocks(entry.message["content"]);
  const text = soleText(shown) ?? (Array.isArray(shown) ? firstText(shown) : undefined);
  const said = text === undefined ? undefined : parseUserText(text);
  return said?.kind === "prompt" && said.text.trim() !== "" ? said.text : undefined;
}

function firstText(blocks: readonly unknown[]): string | undefined {
  for (const block of blocks) {
    const text = isRecord(block) && block["type"] === "text" ? block["text"] : undefined;
    if (typeof text === "string") return text;
  }
  return undefined;
}

/** The file's first line belongs to a subagent, and so does the rest. */
function isSubagents([first = ""]: readonly string[]): boolean {
  return first.includes('"isSidechain":true') && first.startsWith("{");
}

/** A prompt so long that the head ends within it. */
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
    .slice(0, maxTitleChars * maxWidth)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length <= maxTitleChars ? line : `${sliceWhole(line, maxTitleChars - 1)}…`;
}

/** How far into a line its type is looked for. */
const maxOpeningChars = 1024;
/** A title may begin with this many times its length of blanks. */
const maxWidth = 16;
