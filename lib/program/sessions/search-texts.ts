/**
 * Searches the texts of saved conversations, in the files of both engines.
 *
 * Messages, thoughts, and the inputs and outputs of tools are searched; what a CLI adds by
 * itself, such as its environment, is not. Files are read one chunk at a time and only up
 * to the first match. Follows no symbolic link.
 */
import { projectsDirectory } from "../../claude/index.ts";
import { codexHome } from "../../codex/index.ts";
import { recordIn, textOf } from "../../schema/index.ts";
import { claudeFiles } from "../costs/claude-spending.ts";
import { codexFiles } from "../costs/codex-spending.ts";
import type { Fields } from "../../schema/index.ts";
import { readJsonLines } from "../costs/json-lines.ts";

/** Characters of an excerpt on each side of the match. */
const excerptChars = 60;
/** Values nested deeper than this are not searched. */
const maxDepth = 16;

/** Returns a function that finds the text in the conversation with an id: an excerpt, or undefined. */
export function textSearch(
  env: Readonly<Record<string, string | undefined>>,
  text: string,
): (conversationId: string) => string | undefined {
  const files = new Map<string, SavedFile[]>();
  const add = (id: string | undefined, file: SavedFile): void => {
    if (id !== undefined) files.set(id, [...(files.get(id) ?? []), file]);
  };
  for (const path of claudeFiles(projectsDirectory(env))) add(claudeId(path), { path, said: claudeSaid });
  for (const path of codexFiles(codexHome(env))) add(codexId(path), { path, said: codexSaid });
  const pattern = patternOf(text);
  // What a line of JSON contains when one of its strings contains the text.
  const encoded = patternOf(JSON.stringify(text).slice(1, -1));
  return (id) => {
    for (const { path, said } of files.get(id) ?? []) {
      let found: string | undefined;
      readJsonLines(
        path,
        (line) => encoded.test(line),
        (fields) => {
          found = firstMatch(said(fields), pattern, maxDepth);
          return found === undefined ? "go on" : "stop";
        },
      );
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** A pattern for the text itself, in whatever case. */
export function patternOf(text: string): RegExp {
  return new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`), "iu");
}

interface SavedFile {
  readonly path: string;
  /** The part of a line that belongs to the conversation: messages and tool calls. */
  readonly said: (line: Fields) => unknown;
}

/** The conversation of a file: its own name, or for a subagent the directory of the conversation. */
function claudeId(path: string): string | undefined {
  return /([^\\/]+)[\\/]subagents[\\/][^\\/]+$/.exec(path)?.[1] ?? /([^\\/]+)\.jsonl$/.exec(path)?.[1];
}

function codexId(path: string): string | undefined {
  return /([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.jsonl$/i.exec(path)?.[1];
}

function claudeSaid(line: Fields): unknown {
  const isSaid = (line["type"] === "user" || line["type"] === "assistant") && line["isMeta"] !== true;
  return isSaid ? recordIn(line, "message")["content"] : undefined;
}

/** Codex writes its own instructions as messages of the user, which begin with a tag. */
function codexSaid(line: Fields): unknown {
  if (line["type"] !== "response_item") return undefined;
  const { type, role, content, ...item } = recordIn(line, "payload");
  if (type !== "message") return { content, ...item };
  if (role !== "user" && role !== "assistant") return undefined;
  const texts = [content].flat().map((part) => textOf(recordIn({ part }, "part")["text"]) ?? "");
  return role === "assistant" ? texts : texts.filter((text) => !/^\s*(?:<\w+>|# AGENTS\.md)/.test(text));
}

/** Fields that are no text for people. */
const skipped: ReadonlySet<string> = new Set([
  "type",
  "id",
  "call_id",
  "tool_use_id",
  "signature",
  "encrypted_content",
  "data",
  "status",
  "internal_chat_message_metadata_passthrough",
]);

function firstMatch(value: unknown, pattern: RegExp, depth: number): string | undefined {
  if (typeof value === "string") return excerptOf(value, pattern);
  if (typeof value !== "object" || value === null || depth === 0) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const found = skipped.has(key) ? undefined : firstMatch(part, pattern, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The match with the text around it, on one line. */
function excerptOf(text: string, pattern: RegExp): string | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const from = Math.max(0, match.index - excerptChars);
  const to = match.index + match[0].length + excerptChars;
  const shown = text
    .slice(from, to)
    .replaceAll(/\p{Surrogate}/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return `${from > 0 ? "…" : ""}${shown}${to < text.length ? "…" : ""}`;
}
