/**
 * Content blocks, tool content items and locations inside packets, and their
 * conversion from ACP.
 *
 * Every key is always present; an unknown value is null. Text and images keep their
 * type; every other ACP block becomes text.
 */
import type { ContentBlock, Meta, ToolCallContent, ToolCallLocation } from "../acp/index.ts";
import {
  Fault,
  literal,
  nullable,
  number,
  object,
  type Schema,
  schema,
  type Static,
  string,
  tagged,
} from "../schema/index.ts";

const notNull = new Fault("null");
/** Accepts null only: the key exists because readers of packets expect it. */
export const nil: Schema<null> = schema(
  (value) => (value === null ? null : notNull),
  () => ({ kind: "enum", values: [], open: false }),
);

const packetMeta = object({ engine: string });
/** Names the engine that an update comes from, in a session where two engines answer. */
export interface PacketMeta extends Static<typeof packetMeta> {}
/** Null in every session with one engine. */
export const PacketMeta: Schema<PacketMeta | null> = nullable(packetMeta);

/** What a packet keeps of an update's `_meta`. */
export function packetMetaOf(meta: Meta | null | undefined): PacketMeta | null {
  const engine = meta?.["engine"];
  return typeof engine === "string" ? { engine } : null;
}

const packetText = object({ _meta: nil, annotations: nil, text: string, type: literal("text") });
export interface PacketText extends Static<typeof packetText> {}
export const PacketText: Schema<PacketText> = packetText;

const packetImage = object({
  _meta: nil,
  annotations: nil,
  /** Base64. */
  data: string,
  mimeType: string,
  uri: nullable(string),
  type: literal("image"),
});
export interface PacketImage extends Static<typeof packetImage> {}
export const PacketImage: Schema<PacketImage> = packetImage;

export type PacketBlock = PacketText | PacketImage;
export const PacketBlock: Schema<PacketBlock> = tagged("type", { text: PacketText, image: PacketImage });

const contentItem = object({ _meta: nil, type: literal("content"), content: PacketBlock });
export interface ContentItem extends Static<typeof contentItem> {}
export const ContentItem: Schema<ContentItem> = contentItem;

const diffItem = object({
  _meta: nil,
  type: literal("diff"),
  newText: string,
  /** "" for a new file. */
  oldText: string,
  path: string,
});
export interface DiffItem extends Static<typeof diffItem> {}
export const DiffItem: Schema<DiffItem> = diffItem;

export type ToolContentItem = ContentItem | DiffItem;
export const ToolContentItem: Schema<ToolContentItem> = tagged("type", { content: ContentItem, diff: DiffItem });

const locationInfo = object({ _meta: nil, path: string, line: nullable(number) });
export interface LocationInfo extends Static<typeof locationInfo> {}
export const LocationInfo: Schema<LocationInfo> = locationInfo;

export function textBlock(text: string): PacketText {
  return { _meta: null, annotations: null, text, type: "text" };
}

export function textItem(text: string): ContentItem {
  return { _meta: null, type: "content", content: textBlock(text) };
}

/** Converts an ACP content block to a text or image block. */
export function packetBlock(block: ContentBlock): PacketBlock {
  switch (block.type) {
    case "text":
      return textBlock(block.text);
    case "image": {
      const { data, mimeType, uri } = block;
      return { _meta: null, annotations: null, data, mimeType, uri: uri ?? null, type: "image" };
    }
    case "audio":
      return textBlock(`(audio, ${block.mimeType})`);
    case "resource_link":
      return textBlock(`[${block.title ?? block.name}](${block.uri})`);
    case "resource":
      return textBlock("text" in block.resource ? block.resource.text : `(${block.resource.uri})`);
  }
}

/**
 * The same for a block of a message of the user. An attached file is shown by its name, and no name mentions
 * another file: a reader may send the text of the message again, and all of it would then count as the user's words.
 */
export function userBlock(block: ContentBlock): PacketBlock {
  if (block.type === "text" || block.type === "image") return packetBlock(block);
  const isText = block.type === "resource" && "text" in block.resource;
  const shown = isText ? textBlock(` [${attachedName(block.resource.uri)}] `) : packetBlock(block);
  if (shown.type !== "text") return shown;
  return { ...shown, text: shown.text.replaceAll(/(?<=^|[\s\u3001\u3002\uff01\uff1f])@/gu, "(at)") };
}

/** The path of a file, the name of a file that was attached without a path, or the address of anything else. */
function attachedName(uri: string): string {
  const [, path] = /^file:\/\/(\/[^#?]*)$/i.exec(uri) ?? /^attachment:\/\/\/([^/#?]+)$/i.exec(uri) ?? [];
  try {
    return path === undefined ? uri : decodeURIComponent(path);
  } catch {
    return uri;
  }
}

/**
 * Converts the content of a tool call. A terminal gives no item: its output arrives in `_meta`.
 *
 * `ofCells` is set for notebook edits. A new cell has the old text "", which readers
 * take for a new file. An empty line put before both texts avoids that and leaves the
 * diff unchanged.
 */
export function contentItems(content: readonly ToolCallContent[], ofCells = false): readonly ToolContentItem[] {
  return content.flatMap((item): readonly ToolContentItem[] => {
    switch (item.type) {
      case "content":
        return [{ _meta: null, type: "content", content: packetBlock(item.content) }];
      case "diff": {
        const above = ofCells && item.oldText === "" ? "\n" : "";
        const oldText = above + (item.oldText ?? "");
        return [{ _meta: null, type: "diff", newText: above + item.newText, oldText, path: item.path }];
      }
      case "terminal":
        return [];
    }
  });
}

/** The code inside a Markdown code fence when the fence is the whole text; any other text unchanged. */
export function unfenced(text: string): string {
  const [ticks] = /^`{3,}/.exec(text) ?? [];
  const start = text.indexOf("\n") + 1;
  const closed = text.trimEnd();
  if (ticks === undefined || start === 0 || !closed.endsWith(`\n${ticks}`)) return text;
  // In an empty block both fences share one line end.
  return closed.slice(start, Math.max(start, closed.length - ticks.length - 1));
}

export function locationInfos(locations: readonly ToolCallLocation[]): readonly LocationInfo[] {
  return locations.map(({ path, line }) => ({ _meta: null, path, line: line ?? null }));
}
