/**
 * Schemas of content blocks, of which prompts, messages and tool results consist.
 */
import {
  byKey,
  int64,
  items,
  lenient,
  literal,
  nullable,
  number,
  oneOf,
  type Schema,
  type Static,
  string,
  tagged,
} from "../../schema/index.ts";
import { renamed } from "./legacy.ts";
import { withMeta } from "./common.ts";

export type Role = "assistant" | "user";
export const Role: Schema<Role> = oneOf("assistant", "user");

const annotations = withMeta({
  audience: lenient(nullable(items(Role))),
  /** ISO 8601. */
  lastModified: lenient(nullable(string)),
  priority: lenient(nullable(number)),
});
export interface Annotations extends Static<typeof annotations> {}
export const Annotations: Schema<Annotations> = annotations;

const textContent = withMeta({
  type: literal("text"),
  text: string,
  annotations: lenient(nullable(Annotations)),
});
export interface TextContent extends Static<typeof textContent> {}
export const TextContent: Schema<TextContent> = textContent;

const imageContent = withMeta({
  type: literal("image"),
  /** Base64. */
  data: string,
  mimeType: string,
  uri: lenient(nullable(string)),
  annotations: lenient(nullable(Annotations)),
});
export interface ImageContent extends Static<typeof imageContent> {}
export const ImageContent: Schema<ImageContent> = renamed(imageContent, { mediaType: "mimeType" });

const audioContent = withMeta({
  type: literal("audio"),
  /** Base64. */
  data: string,
  mimeType: string,
  annotations: lenient(nullable(Annotations)),
});
export interface AudioContent extends Static<typeof audioContent> {}
export const AudioContent: Schema<AudioContent> = audioContent;

const resourceLink = withMeta({
  type: literal("resource_link"),
  uri: string,
  name: string,
  title: lenient(nullable(string)),
  description: lenient(nullable(string)),
  mimeType: lenient(nullable(string)),
  /** Bytes. */
  size: lenient(nullable(int64)),
  annotations: lenient(nullable(Annotations)),
});
export interface ResourceLink extends Static<typeof resourceLink> {}
export const ResourceLink: Schema<ResourceLink> = resourceLink;

const textResourceContents = withMeta({
  uri: string,
  text: string,
  mimeType: lenient(nullable(string)),
});
export interface TextResourceContents extends Static<typeof textResourceContents> {}
export const TextResourceContents: Schema<TextResourceContents> = textResourceContents;

const blobResourceContents = withMeta({
  uri: string,
  /** Base64. */
  blob: string,
  mimeType: lenient(nullable(string)),
});
export interface BlobResourceContents extends Static<typeof blobResourceContents> {}
export const BlobResourceContents: Schema<BlobResourceContents> = blobResourceContents;

export type EmbeddedResourceResource = TextResourceContents | BlobResourceContents;
export const EmbeddedResourceResource: Schema<EmbeddedResourceResource> = byKey({
  text: TextResourceContents,
  blob: BlobResourceContents,
});

const embeddedResource = withMeta({
  type: literal("resource"),
  resource: EmbeddedResourceResource,
  annotations: lenient(nullable(Annotations)),
});
export interface EmbeddedResource extends Static<typeof embeddedResource> {}
export const EmbeddedResource: Schema<EmbeddedResource> = embeddedResource;

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
export const ContentBlock: Schema<ContentBlock> = tagged("type", {
  text: TextContent,
  image: ImageContent,
  audio: AudioContent,
  resource_link: ResourceLink,
  resource: EmbeddedResource,
});
