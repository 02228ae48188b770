/**
 * Shows a prompt of a saved thread as the user's message.
 *
 * Live prompts are echoed by Codex and not shown: the client has them.
 */
import { block, type ContentBlock, type SessionUpdate, update } from "../../acp/index.ts";
import { fileUri, savedBlocks } from "../../display/index.ts";
import type { UserInput, UserMessageItem } from "../protocol/index.ts";
import { dataUrlImage } from "./calls/other.ts";

export function foldPrompt(
  { id, clientId, content }: UserMessageItem,
  keepsSharedContext = false,
): readonly SessionUpdate[] {
  return content.flatMap((input) =>
    shownInput(input, keepsSharedContext).map((shown) => update.userMessage(shown, clientId ?? id)),
  );
}

function shownInput(input: UserInput, keepsSharedContext: boolean): readonly ContentBlock[] {
  switch (input.type) {
    case "text":
      return input.text === "" ? [] : savedBlocks(input.text, keepsSharedContext);
    case "image":
      return [dataUrlImage(input.url)].filter((one) => one !== undefined);
    case "localImage":
      return [block.link(fileUri(input.path), nameOf(input.path))];
    case "skill":
      return [block.text(`$${input.name}`)];
    case "mention":
      return [block.text(`@${input.path}`)];
    case "unknown":
      return [];
  }
}

function nameOf(path: string): string {
  return /([^/\\]+)[/\\]?$/.exec(path)?.[1] ?? path;
}
