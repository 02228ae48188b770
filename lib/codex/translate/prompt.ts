/**
 * Converts the content blocks of an ACP prompt to the input of a turn.
 *
 * Blocks keep their order. Codex expands no mention: links to files become paths that the model
 * reads itself, attached files become text in `<context>` tags, images become data URLs. Codex
 * loads the skills that a text mentions, so text that the user did not write passes through the
 * function `foreign`, which can disable mentions.
 */
import type { ContentBlock, EmbeddedResource, ImageContent } from "../../acp/index.ts";
import { attachedText, hasMention, readFileUri, unmentioned } from "../../display/index.ts";
import type { SentInput } from "../protocol/index.ts";

export type PromptInput =
  | { readonly kind: "input"; readonly input: readonly SentInput[] }
  | { readonly kind: "refused"; readonly why: string };

/** Codex refuses longer prompts. */
export const maxPromptChars = 1_048_576;

export interface PromptInputOptions {
  /** Texts before the content that the user did not write. */
  readonly preface?: readonly string[] | undefined;
  /** Replaces text that the user did not write. */
  readonly foreign?: (text: string) => string;
}

export function promptInput(
  prompt: readonly ContentBlock[],
  { preface = [], foreign = (same) => same }: PromptInputOptions = {},
): PromptInput {
  const parts: SentInput[] = preface.map((one) => text(foreign(one)));
  for (const [i, block] of prompt.entries()) {
    if (block.type === "audio")
      return {
        kind: "refused",
        why: `prompt.${i} is audio, which cannot be sent to the model: send a transcript as text, or a link to the file`,
      };
    parts.push(partOf(block, foreign));
  }
  const input = joinText(parts.filter((part) => part.type !== "text" || part.text.trim() !== ""));
  if (input.length === 0) return { kind: "refused", why: "prompt must say something" };
  const length = input.reduce((sum, part) => sum + (part.type === "text" ? charCount(part.text) : 0), 0);
  if (length > maxPromptChars) {
    return { kind: "refused", why: `prompt must not have more than ${maxPromptChars} characters, it has ${length}` };
  }
  return { kind: "input", input };
}

const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function partOf(
  block: Exclude<ContentBlock, { readonly type: "audio" }>,
  foreign: (text: string) => string,
): SentInput {
  if (block.type === "text") return text(block.text);
  const part = otherPart(block);
  return part.type === "text" ? text(foreign(part.text)) : part;
}

function otherPart(block: Exclude<ContentBlock, { readonly type: "audio" | "text" }>): SentInput {
  switch (block.type) {
    case "image":
      return imagePart(block);
    case "resource_link":
      return text(mentionOf(block.uri, block.name));
    case "resource":
      return attachment(block);
  }
}

function imagePart({ data, mimeType, uri }: ImageContent): SentInput {
  if (data === "" && uri != null) {
    const file = readFileUri(uri);
    return file === undefined ? text(mentionOf(uri, nameOf(uri))) : { type: "localImage", path: file.path };
  }
  if (!imageTypes.has(mimeType)) return text(unmentioned(`[an image of type ${mimeType} that cannot be shown]`));
  return { type: "image", url: `data:${mimeType};base64,${data}` };
}

/**
 * The path of a file; a Markdown link for everything else. A name mentions no file: Codex reads none, but the user may
 * take the prompt back and send it to another engine.
 */
function mentionOf(uri: string, name: string): string {
  const file = readFileUri(uri);
  if (file === undefined || hasMention(file.path)) return unmentioned(`[${name}](${uri})`);
  const { path, line, lineCount = 1, lines } = file;
  if (/\s/.test(path)) return lines === undefined ? `@"${path}"` : `@"${path}" (${lines})`;
  if (line === undefined) return `@${path}`;
  return lineCount === 1 ? `@${path}#L${line}` : `@${path}#L${line}-${line + lineCount - 1}`;
}

function attachment({ resource }: EmbeddedResource): SentInput {
  const { uri, mimeType } = resource;
  if ("text" in resource) return text(attachedText(uri, resource.text));
  const type = mimeType ?? "application/octet-stream";
  if (imageTypes.has(type)) return { type: "image", url: `data:${type};base64,${resource.blob}` };
  if (type.startsWith("text/")) return text(attachedText(uri, Buffer.from(resource.blob, "base64").toString("utf8")));
  return text(unmentioned(`[${nameOf(uri)}: ${type}, ${Math.floor((resource.blob.length * 3) / 4)} bytes]`));
}

function nameOf(uri: string): string {
  return /([^/]+)\/?$/.exec(uri)?.[1] ?? uri;
}

/** Joins adjacent texts, so that a mention inside a sentence stays inside it. */
function joinText(parts: readonly SentInput[]): readonly SentInput[] {
  const joined: SentInput[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.type === "text" && part.type === "text") joined[joined.length - 1] = text(last.text + part.text);
    else joined.push(part);
  }
  return joined;
}

function text(value: string): SentInput {
  return { type: "text", text: value, text_elements: [] };
}

/** The length as Codex counts it: a pair of surrogates is one character. */
function charCount(value: string): number {
  if (value.length <= maxPromptChars) return value.length;
  let count = value.length;
  for (let i = 0; i < value.length - 1; i++) {
    if ((value.charCodeAt(i) & 0xfc00) === 0xd800 && (value.charCodeAt(i + 1) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}
