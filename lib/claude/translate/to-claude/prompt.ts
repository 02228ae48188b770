/**
 * Turns the content blocks of an ACP prompt into content for the CLI.
 *
 * Text stays text, links become @-mentions the CLI can expand, attached files become text in
 * `<context>` tags, images stay images. The CLI reads the files that are mentioned in the last
 * text block without asking, and runs commands from there. So text that the user did not write
 * comes first, in separate blocks, and the user's text has its name in its place.
 */
import type { ContentBlock, EmbeddedResource, ImageContent } from "../../../acp/index.ts";
import { attachedName, attachedText, hasMention, readFileUri, unmentioned } from "../../../display/index.ts";
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

/** The content of a user message for the CLI, from the blocks of an ACP prompt. */
export function readPrompt(prompt: readonly ContentBlock[], preface: readonly string[] = []): ReadPrompt {
  const why = promptRefusal(prompt);
  if (why !== undefined) return { kind: "refused", why };
  const foreign = preface.map(text);
  const own: PromptPart[] = [];
  for (const block of prompt) {
    const attached = block.type === "resource" ? attachedIn(block) : undefined;
    if (attached !== undefined) foreign.push(text(attached));
    own.push(...partsOf(block, attached !== undefined));
  }
  const isThere = (part: PromptPart): boolean => part.type !== "text" || part.text.trim() !== "";
  return { kind: "parts", parts: [...foreign.filter(isThere), ...joinText(own).filter(isThere)] };
}

/** Why the CLI cannot take a prompt; undefined when it can. */
export function promptRefusal(prompt: readonly ContentBlock[]): string | undefined {
  const audio = prompt.findIndex(({ type }) => type === "audio");
  if (audio >= 0) {
    return `prompt.${audio} is audio, which cannot be sent to the model: send a transcript as text, or a link to the file`;
  }
  const isBlank = prompt.every((block) => block.type === "text" && block.text.trim() === "");
  return isBlank ? "prompt must say something" : undefined;
}

/** The frame that gives a prompt to the CLI. `promptRefusal` has found that the CLI can take it. */
export function promptFrame({ id, content, preface }: Prompt): PromptFrame {
  const read = readPrompt(content, preface);
  const parts = read.kind === "refused" ? [] : read.parts;
  const [only, ...more] = parts;
  return {
    type: "user",
    // A prompt of one text block is sent as a string: older CLIs run slash commands only from a string.
    message: { role: "user", content: only?.type === "text" && more.length === 0 ? only.text : parts },
    parent_tool_use_id: null,
    session_id: "",
    uuid: id,
    origin: { kind: "human" },
  };
}

const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** `isAttached`: the text of the block comes before the user's text. */
function partsOf(block: ContentBlock, isAttached: boolean): readonly PromptPart[] {
  switch (block.type) {
    case "text":
      return [text(block.text)];
    case "image":
      return [imagePart(block)];
    case "audio":
      return [];
    case "resource_link":
      return [text(mentionOf(block.uri, block.name))];
    case "resource":
      return [attachment(block, isAttached)];
  }
}

function imagePart({ data, mimeType, uri }: ImageContent): PromptPart {
  if (data === "" && uri != null) return text(mentionOf(uri, nameOf(uri)));
  if (!imageTypes.has(mimeType)) return text(unmentioned(`[an image of type ${mimeType} that cannot be shown]`));
  return { type: "image", source: { type: "base64", media_type: mimeType, data } };
}

/** An @-mention for a file, which the CLI expands; a Markdown link for everything else. */
function mentionOf(uri: string, name: string): string {
  const file = readFileUri(uri);
  // A name within the path would be a mention of its own, of another file.
  if (file === undefined || hasMention(file.path) || file.path.includes('"')) return unmentioned(`[${name}](${uri})`);
  const { path, line, lineCount = 1, lines } = file;
  // The CLI reads line numbers only after an unquoted path, and a path with spaces only in quotes.
  if (/\s/.test(path)) return lines === undefined ? `@"${path}"` : `@"${path}" (${lines})`;
  if (line === undefined) return `@${path}`;
  return lineCount === 1 ? `@${path}#L${line}` : `@${path}#L${line}-${line + lineCount - 1}`;
}

/** The text of an attached file; undefined for an image, a document and what cannot be shown. */
function attachedIn({ resource }: EmbeddedResource): string | undefined {
  const { uri, mimeType } = resource;
  if ("text" in resource) return attachedText(uri, resource.text);
  if (mimeType?.startsWith("text/") !== true) return undefined;
  return attachedText(uri, Buffer.from(resource.blob, "base64").toString("utf8"));
}

function attachment({ resource }: EmbeddedResource, isAttached: boolean): PromptPart {
  const { uri } = resource;
  if ("text" in resource || isAttached) return text(unmentioned(` [${attachedName(uri)}] `));
  const type = resource.mimeType ?? "application/octet-stream";
  const source = { type: "base64", media_type: type, data: resource.blob } as const;
  if (imageTypes.has(type)) return { type: "image", source };
  if (type === "application/pdf") return { type: "document", source };
  const bytes = Math.floor((resource.blob.length * 3) / 4);
  return text(unmentioned(`[${nameOf(uri)}: ${type}, ${bytes} bytes]`));
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
