/**
 * The other items as tool calls: tools of MCP servers and of the host, web searches, images,
 * waiting.
 */
import { ContentBlock, location, type ToolCallContent, toolContent } from "../../../acp/index.ts";
import { absolutePath, type ClientView, fenced, shownPath, titleLine } from "../../../display/index.ts";
import { Fault, isRecord, textIn } from "../../../schema/index.ts";
import type {
  DynamicToolCallItem,
  ImageGenerationItem,
  ImageViewItem,
  McpToolCallItem,
  SleepItem,
  WebSearchItem,
} from "../../protocol/index.ts";
import { type ItemEnd, type CallView, endStatus, jsonText } from "./call-view.ts";

export function mcpView(item: McpToolCallItem): CallView {
  const { server, tool, arguments: input } = item;
  return {
    name: `mcp__${server}__${tool}`,
    kind: "other",
    title: titleLine(`${mcpToolTitle(server, tool)}${firstText(input)}`),
    rawInput: input ?? {},
  };
}

/** `fake: look up`. */
export function mcpToolTitle(server: string, tool: string): string {
  return `${server}: ${tool.replaceAll("_", " ")}`;
}

export function mcpEnd({ status, result, error }: McpToolCallItem): ItemEnd {
  const said = (result?.content ?? []).flatMap(resultBlock);
  const message = error?.message;
  if (message == null) return { status: endStatus(status), content: said };
  const isRejected = message === "user rejected MCP tool call";
  return { status: "failed", content: [...said, toolContent.block(isRejected ? "Rejected." : message)] };
}

/** A block of MCP content has the form of an ACP block. Others are shown as JSON. */
function resultBlock(value: unknown): readonly ToolCallContent[] {
  const block = ContentBlock.read(value);
  if (!(block instanceof Fault)) return [toolContent.block(block)];
  return [toolContent.block(fenced(jsonText(value), "json"))];
}

export function dynamicToolView({ tool, namespace, arguments: input }: DynamicToolCallItem): CallView {
  const title = namespace == null ? tool.replaceAll("_", " ") : mcpToolTitle(namespace, tool);
  return { name: tool, kind: "other", title: titleLine(`${title}${firstText(input)}`), rawInput: input ?? {} };
}

export function dynamicToolEnd({ status, contentItems }: DynamicToolCallItem): ItemEnd {
  return { status: endStatus(status), content: (contentItems ?? []).flatMap(inputBlock) };
}

/** `inputText` and `inputImage` are the forms in which the model gets a result. */
function inputBlock(value: unknown): readonly ToolCallContent[] {
  if (!isRecord(value)) return [];
  const text = textIn(value, "text");
  if (text !== undefined) return [toolContent.block(text)];
  const image = dataUrlImage(textIn(value, "imageUrl", "image_url", "url") ?? "");
  return image === undefined ? [] : [toolContent.block(image)];
}

/** The image of a data URL; undefined for any other URL. */
export function dataUrlImage(url: string): ContentBlock | undefined {
  const [, mimeType, data] = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=]+)$/.exec(url) ?? [];
  return mimeType === undefined || data === undefined ? undefined : { type: "image", data, mimeType };
}

export function webSearchView(item: WebSearchItem): CallView {
  return { name: "web_search", kind: "fetch", title: searchTitle(item) };
}

/** The query is known when the search has ended. */
export function webSearchEnd(item: WebSearchItem): ItemEnd {
  return { status: "completed", title: searchTitle(item) };
}

function searchTitle({ query, action }: WebSearchItem): string {
  if (action?.type === "openPage") return titleLine(`Open ${action.url ?? "a page"}`);
  if (action?.type === "findInPage") {
    return titleLine(`Find "${action.pattern ?? ""}" in ${action.url ?? "a page"}`);
  }
  const queries = (action?.queries ?? []).filter((one) => one !== "");
  const asked = queries.length > 0 ? queries.map((one) => `"${one}"`).join(", ") : `"${query ?? ""}"`;
  return titleLine(asked === '""' ? "Search the web" : `Search the web for ${asked}`);
}

export function imageView({ path }: ImageViewItem, client: ClientView): CallView {
  const absolute = absolutePath(path, client);
  return {
    name: "view_image",
    kind: "read",
    title: titleLine(`View ${shownPath(absolute, client)}`),
    locations: [location(absolute)],
  };
}

export function imageGenerationView(_item: ImageGenerationItem): CallView {
  return { name: "image_generation", kind: "other", title: "Create an image" };
}

export function imageGenerationEnd({ status, revisedPrompt, result }: ImageGenerationItem): ItemEnd {
  const prompt = revisedPrompt == null || revisedPrompt === "" ? [] : [toolContent.block(revisedPrompt)];
  const image = dataUrlImage(`data:image/png;base64,${result ?? ""}`);
  return {
    status: status === "failed" ? "failed" : "completed",
    content: [...prompt, ...(image === undefined ? [] : [toolContent.block(image)])],
  };
}

export function sleepView({ durationMs }: SleepItem): CallView {
  const ms = durationMs ?? 0;
  return { name: "sleep", kind: "think", title: ms < 1000 ? `Wait ${ms} ms` : `Wait ${Math.round(ms / 100) / 10} s` };
}

/** The first text of the input, shortened. */
function firstText(input: unknown): string {
  const text = isRecord(input) ? Object.values(input).find((value) => typeof value === "string" && value !== "") : "";
  return typeof text === "string" && text !== "" ? ` (${titleLine(text, 60)})` : "";
}
