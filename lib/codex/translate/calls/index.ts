/**
 * `callOf`: an item of Codex as a tool call, before and after it has run.
 */
import type { ClientView } from "../../../display/index.ts";
import type { ThreadItem } from "../../protocol/index.ts";
import type { ItemEnd, CallView } from "./call-view.ts";
import { commandEnd, commandView } from "./command.ts";
import { fileChangeEnd, fileChangeView } from "./file-change.ts";
import {
  dynamicToolEnd,
  dynamicToolView,
  imageGenerationEnd,
  imageGenerationView,
  imageView,
  mcpEnd,
  mcpView,
  sleepView,
  webSearchEnd,
  webSearchView,
} from "./other.ts";
import { collabEnd, collabView } from "./subagent.ts";

export interface ItemCall {
  readonly id: string;
  readonly view: () => CallView;
  readonly end: () => ItemEnd;
}

/** The item as a call; undefined for items that are not calls. */
export function callOf(item: ThreadItem, client: ClientView): ItemCall | undefined {
  switch (item.type) {
    case "commandExecution":
      return { id: item.id, view: () => commandView(item, client), end: () => commandEnd(item) };
    case "fileChange":
      return { id: item.id, view: () => fileChangeView(item, client), end: () => fileChangeEnd(item) };
    case "mcpToolCall":
      return { id: item.id, view: () => mcpView(item), end: () => mcpEnd(item) };
    case "dynamicToolCall":
      return { id: item.id, view: () => dynamicToolView(item), end: () => dynamicToolEnd(item) };
    case "collabAgentToolCall":
      return { id: item.id, view: () => collabView(item), end: () => collabEnd(item) };
    case "webSearch":
      return { id: item.id, view: () => webSearchView(item), end: () => webSearchEnd(item) };
    case "imageView":
      return { id: item.id, view: () => imageView(item, client), end: () => ({ status: "completed" }) };
    case "imageGeneration":
      return { id: item.id, view: () => imageGenerationView(item), end: () => imageGenerationEnd(item) };
    case "sleep":
      return { id: item.id, view: () => sleepView(item), end: () => ({ status: "completed" }) };
    case "userMessage":
    case "agentMessage":
    case "reasoning":
    case "plan":
    case "subAgentActivity":
    case "enteredReviewMode":
    case "exitedReviewMode":
    case "contextCompaction":
    case "hookPrompt":
    case "functionCallOutput":
    case "unknown":
      return undefined;
  }
}
