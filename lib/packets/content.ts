/**
 * Content: the blocks, content items and places that packets are made of.
 *
 * Every key is always there; what is not known is null. Text and pictures stay what
 * they are, and any other ACP block becomes text.
 */
import type { ContentBlock, ToolCallContent, ToolCallLocation } from "../acp/index.ts";
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
/** Exactly null: the key is there for readers that expect it. */
export const nil: Schema<null> = schema(
  (value) => (value === null ? null : notNull),
  () => ({ kind: "enum", values: [], open: false }),
);

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

/** An ACP block, as text or as the picture it is. */
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
 * Content of a tool call. What a terminal shows comes on its own and is not an item.
 *
 * `ofCells`: a new cell of a notebook has no old text, which would make a new file of
 * it; an empty line above it, before and after, says the same and makes none.
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

export function locationInfos(locations: readonly ToolCallLocation[]): readonly LocationInfo[] {
  return locations.map(({ path, line }) => ({ _meta: null, path, line: line ?? null }));
}
