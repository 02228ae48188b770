/**
 * Shows a prompt of a saved thread as the user's message.
 *
 * Live prompts are echoed by Codex and not shown: the client has them.
 */
import { block, type ContentBlock, type SessionUpdate, update } from "../../acp/index.ts";
import { fileUri } from "../../display/index.ts";
import type { UserInput, UserMessageItem } from "../protocol/index.ts";
import { dataUrlImage } from "./calls/other.ts";

export function foldPrompt({ id, clientId, content }: UserMessageItem): readonly SessionUpdate[] {
  return content.flatMap((input) => {
    const shown = shownInput(input);
    return shown === undefined ? [] : [update.userMessage(shown, clientId ?? id)];
  });
}

function shownInput(input: UserInput): ContentBlock | undefined {
  switch (input.type) {
    case "text":
      return input.text === "" ? undefined : block.text(input.text);
    case "image":
      return dataUrlImage(input.url);
    case "localImage":
      return block.link(fileUri(input.path), nameOf(input.path));
    case "skill":
      return block.text(`$${input.name}`);
    case "mention":
      return block.text(`@${input.path}`);
    case "unknown":
      return undefined;
  }
}

function nameOf(path: string): string {
  return /([^/\\]+)[/\\]?$/.exec(path)?.[1] ?? path;
}
