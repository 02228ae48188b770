/**
 * Turns the content blocks of an ACP prompt into content for the CLI.
 *
 * Blocks keep their order. Text stays text, links become @-mentions the CLI can expand,
 * attached files become text in `<context>` tags, images stay images.
 */
import type { ContentBlock, EmbeddedResource, ImageContent } from "../../../acp/index.ts";
import { sliceWhole } from "../../../schema/index.ts";

/** Attached text is cut at this length, with a note to the model. */
export const maxAttachedChars = 512 * 1024;

/** A content block in the form of the Messages API. */
export type PromptPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly source: Source }
  | { readonly type: "document"; readonly source: Source };

interface Source {
  readonly type: "base64";
  readonly media_type: string;
  readonly data: string;
}

export type ReadPrompt =
  | { readonly kind: "parts"; readonly parts: readonly PromptPart[] }
  | { readonly kind: "refused"; readonly why: string };

export function readPrompt(prompt: readonly ContentBlock[]): ReadPrompt {
  const parts: PromptPart[] = [];
  for (const [i, block] of prompt.entries()) {
    if (block.type === "audio")
      return { kind: "refused", why: `prompt.${i} must be text, an image, a link or a resource, not audio` };
    parts.push(...partsOf(block));
  }
  const nonEmpty = parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  if (nonEmpty.length === 0) return { kind: "refused", why: "prompt must say something" };
  return { kind: "parts", parts: joinText(nonEmpty) };
}

const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function partsOf(block: Exclude<ContentBlock, { readonly type: "audio" }>): readonly PromptPart[] {
  switch (block.type) {
    case "text":
      return [text(block.text)];
    case "image":
      return [imagePart(block)];
    case "resource_link":
      return [text(mentionOf(block.uri, block.name))];
    case "resource":
      return [attachment(block)];
  }
}

function imagePart({ data, mimeType, uri }: ImageContent): PromptPart {
  if (data === "" && uri != null) return text(mentionOf(uri, nameOf(uri)));
  if (!imageTypes.has(mimeType)) return text(`[an image of type ${mimeType} that cannot be shown]`);
  return { type: "image", source: { type: "base64", media_type: mimeType, data } };
}

/** An @-mention for a file, which the CLI expands; a Markdown link for everything else. */
function mentionOf(uri: string, name: string): string {
  const file = readFileUri(uri);
  if (file === undefined) return `[${name}](${uri})`;
  const { path, line, lineCount = 1, lines } = file;
  // The CLI reads line numbers only after an unquoted path, and a path with spaces only in quotes.
  if (/\s/.test(path)) return lines === undefined ? `@"${path}"` : `@"${path}" (${lines})`;
  if (line === undefined) return `@${path}`;
  return lineCount === 1 ? `@${path}#L${line}` : `@${path}#L${line}-${line + lineCount - 1}`;
}

export interface FileReference {
  readonly path: string;
  /** The line range as text: `line 3` or `lines 3 to 5`. */
  readonly lines: string | undefined;
  /** The first line of the range, counted from 1. */
  readonly line: number | undefined;
  readonly lineCount: number | undefined;
}

/** Parses a `file:` URI with an optional fragment `#L10` or `#L10:20`; undefined for any other URI. */
export function readFileUri(uri: string): FileReference | undefined {
  const [, encoded, fragment] = /^file:\/\/(?:localhost)?(\/[^#?]*)(?:\?[^#]*)?(?:#(.*))?$/.exec(uri) ?? [];
  if (encoded === undefined) return undefined;
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
  // A Windows path has its drive letter after the first slash.
  if (/^\/[A-Za-z]:/.test(path)) path = path.slice(1);
  const [, from, to] = /^L(\d+)(?:[:-]L?(\d+))?$/.exec(fragment ?? "") ?? [];
  const first = from === undefined ? undefined : Number(from);
  if (first === undefined || first < 1) return { path, lines: undefined, line: undefined, lineCount: undefined };
  const last = to === undefined ? undefined : Number(to);
  if (last === undefined || last < first) return { path, lines: `line ${first}`, line: first, lineCount: 1 };
  return { path, lines: `lines ${first} to ${last}`, line: first, lineCount: last - first + 1 };
}

function attachment({ resource }: EmbeddedResource): PromptPart {
  const { uri, mimeType } = resource;
  if ("text" in resource) return text(context(uri, resource.text));
  const type = mimeType ?? "application/octet-stream";
  const source = { type: "base64", media_type: type, data: resource.blob } as const;
  if (imageTypes.has(type)) return { type: "image", source };
  if (type === "application/pdf") return { type: "document", source };
  if (type.startsWith("text/")) return text(context(uri, Buffer.from(resource.blob, "base64").toString("utf8")));
  return text(`[${nameOf(uri)}: ${type}, ${Math.floor((resource.blob.length * 3) / 4)} bytes]`);
}

/** The text of a file in a tag that separates it from the user's own text. */
function context(uri: string, content: string): string {
  const file = readFileUri(uri);
  const name = file === undefined ? uri : file.lines === undefined ? file.path : `${file.path} (${file.lines})`;
  const isLong = content.length > maxAttachedChars;
  const shown = isLong
    ? `${sliceWhole(content, maxAttachedChars)}\n[cut here: ${content.length - maxAttachedChars} more characters]`
    : content;
  return `\n<context ref="${name.replaceAll('"', "&quot;")}">\n${shown}\n</context>\n`;
}

function nameOf(uri: string): string {
  return /([^/]+)\/?$/.exec(uri)?.[1] ?? uri;
}

/** Joins adjacent texts, so that a mention inside a sentence stays inside it. */
function joinText(parts: readonly PromptPart[]): readonly PromptPart[] {
  const joined: PromptPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.type === "text" && part.type === "text") joined[joined.length - 1] = text(last.text + part.text);
    else joined.push(part);
  }
  return joined;
}

function text(value: string): PromptPart {
  return { type: "text", text: value };
}
