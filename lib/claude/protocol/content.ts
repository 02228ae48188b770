/**
 * Schemas of the content blocks of a message, as the Anthropic Messages API defines them.
 *
 * A block of a kind that is not listed here becomes an `Unknown`; the blocks beside it are
 * read as usual.
 */
import {
  array,
  boolean,
  either,
  lenient,
  literal,
  nullable,
  number,
  object,
  type Schema,
  type Static,
  string,
  tagged,
  unknown,
} from "../../schema/index.ts";
import { nameUnder, orUnknown, type Unknown } from "../unknown.ts";

const textBlock = object({ type: literal("text"), text: string });
export interface TextBlock extends Static<typeof textBlock> {}
export const TextBlock: Schema<TextBlock> = textBlock;

const thinkingBlock = object({ type: literal("thinking"), thinking: string, signature: lenient(string) });
export interface ThinkingBlock extends Static<typeof thinkingBlock> {}
export const ThinkingBlock: Schema<ThinkingBlock> = thinkingBlock;

/** Thinking that the API returns encrypted. It has no text to show. */
const redactedThinkingBlock = object({ type: literal("redacted_thinking"), data: lenient(string) });
export interface RedactedThinkingBlock extends Static<typeof redactedThinkingBlock> {}
export const RedactedThinkingBlock: Schema<RedactedThinkingBlock> = redactedThinkingBlock;

const toolUseBlock = object({ type: literal("tool_use"), id: string, name: string, input: unknown });
export interface ToolUseBlock extends Static<typeof toolUseBlock> {}
export const ToolUseBlock: Schema<ToolUseBlock> = toolUseBlock;

/** A call of a tool that the API runs itself, such as its web search. */
const serverToolUseBlock = object({ type: literal("server_tool_use"), id: string, name: string, input: unknown });
export interface ServerToolUseBlock extends Static<typeof serverToolUseBlock> {}
export const ServerToolUseBlock: Schema<ServerToolUseBlock> = serverToolUseBlock;

const webSearchToolResultBlock = object({
  type: literal("web_search_tool_result"),
  tool_use_id: string,
  content: unknown,
});
export interface WebSearchToolResultBlock extends Static<typeof webSearchToolResultBlock> {}
export const WebSearchToolResultBlock: Schema<WebSearchToolResultBlock> = webSearchToolResultBlock;

const blockSource = object({
  type: string,
  media_type: lenient(string),
  data: lenient(string),
  url: lenient(string),
});
export interface BlockSource extends Static<typeof blockSource> {}
export const BlockSource: Schema<BlockSource> = blockSource;

const imageBlock = object({ type: literal("image"), source: BlockSource });
export interface ImageBlock extends Static<typeof imageBlock> {}
export const ImageBlock: Schema<ImageBlock> = imageBlock;

const documentBlock = object({
  type: literal("document"),
  source: BlockSource,
  title: lenient(nullable(string)),
});
export interface DocumentBlock extends Static<typeof documentBlock> {}
export const DocumentBlock: Schema<DocumentBlock> = documentBlock;

/** A tool that ToolSearch found. The model can call it from now on. */
const toolReferenceBlock = object({ type: literal("tool_reference"), tool_name: string });
export interface ToolReferenceBlock extends Static<typeof toolReferenceBlock> {}
export const ToolReferenceBlock: Schema<ToolReferenceBlock> = toolReferenceBlock;

/** One part of the content of a tool result. */
export type ToolResultPart = TextBlock | ImageBlock | DocumentBlock | ToolReferenceBlock | Unknown;
export const ToolResultPart: Schema<ToolResultPart> = orUnknown(
  tagged("type", {
    text: textBlock,
    image: imageBlock,
    document: documentBlock,
    tool_reference: toolReferenceBlock,
  }),
  nameBlock,
);

const toolResultBlock = object({
  type: literal("tool_result"),
  tool_use_id: string,
  content: lenient(either("text or blocks", string, array(ToolResultPart))),
  is_error: lenient(boolean),
});
export interface ToolResultBlock extends Static<typeof toolResultBlock> {}
export const ToolResultBlock: Schema<ToolResultBlock> = toolResultBlock;

export type Block =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ServerToolUseBlock
  | WebSearchToolResultBlock
  | ToolResultBlock
  | ImageBlock
  | DocumentBlock
  | Unknown;
export const Block: Schema<Block> = orUnknown(
  tagged("type", {
    text: textBlock,
    thinking: thinkingBlock,
    redacted_thinking: redactedThinkingBlock,
    tool_use: toolUseBlock,
    server_tool_use: serverToolUseBlock,
    web_search_tool_result: webSearchToolResultBlock,
    tool_result: toolResultBlock,
    image: imageBlock,
    document: documentBlock,
  }),
  nameBlock,
);

const usage = object({
  input_tokens: lenient(number),
  output_tokens: lenient(number),
  cache_creation_input_tokens: lenient(nullable(number)),
  cache_read_input_tokens: lenient(nullable(number)),
});
export interface ClaudeUsage extends Static<typeof usage> {}
export const ClaudeUsage: Schema<ClaudeUsage> = usage;

function nameBlock(value: unknown): string {
  return nameUnder(value, "type");
}
