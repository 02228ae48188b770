/**
 * Turns the content blocks of an ACP prompt into content for the CLI.
 *
 * Blocks keep their order. Text stays text, links become @-mentions the CLI can expand,
 * attached files become text in `<context>` tags, images stay images.
 */
import type { ContentBlock, EmbeddedResource, ImageContent } from "../../../acp/index.ts";
import { attachedText, readFileUri } from "../../../display/index.ts";
import type { Prompt } from "../../../engine/index.ts";
import type { PromptFrame } from "../../index.ts";

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
      return {
        kind: "refused",
        why: `prompt.${i} is audio, which cannot be sent to the model: send what is said as text, or a link to the file`,
      };
    parts.push(...partsOf(block));
  }
  const nonEmpty = parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  if (nonEmpty.length === 0) return { kind: "refused", why: "prompt must say something" };
  return { kind: "parts", parts: joinText(nonEmpty) };
}

/** Why the CLI cannot take a prompt; undefined when it can. */
export function promptRefusal(prompt: readonly ContentBlock[]): string | undefined {
  const read = readPrompt(prompt);
  return read.kind === "refused" ? read.why : undefined;
}

/** The frame that gives a prompt to the CLI. `promptRefusal` has found that the CLI can take it. */
export function promptFrame({ id, content }: Prompt): PromptFrame {
  const read = readPrompt(content);
  const parts = read.kind === "refused" ? [] : read.parts;
  const [only, ...more] = parts;
  return {
    type: "user",
    // A prompt of one text block is sent as a string: the CLI runs slash commands only from a string.
    message: { role: "user", content: only?.type === "text" && more.length === 0 ? only.text : parts },
    parent_tool_use_id: null,
    session_id: "",
    uuid: id,
    origin: { kind: "human" },
  };
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

function attachment({ resource }: EmbeddedResource): PromptPart {
  const { uri, mimeType } = resource;
  if ("text" in resource) return text(attachedText(uri, resource.text));
  const type = mimeType ?? "application/octet-stream";
  const source = { type: "base64", media_type: type, data: resource.blob } as const;
  if (imageTypes.has(type)) return { type: "image", source };
  if (type === "application/pdf") return { type: "document", source };
  if (type.startsWith("text/")) return text(attachedText(uri, Buffer.from(resource.blob, "base64").toString("utf8")));
  return text(`[${nameOf(uri)}: ${type}, ${Math.floor((resource.blob.length * 3) / 4)} bytes]`);
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
