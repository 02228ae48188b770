/**
 * Takes prompts of a session back: the files, the conversation, or both.
 *
 * The slash command and the extension method `_session/rewind` call `rewind`. It restores the
 * files first, because an engine may forget the earlier versions of files with the prompts.
 * If the files cannot be restored, the conversation stays as it is. With `dryRun` it changes
 * nothing and returns which files would change.
 */
import type { ContentBlock } from "../../acp/index.ts";
import { type Conversation, EngineFailure, type FileChanges, type SentPrompt } from "../../engine/index.ts";

export interface RewindRequest {
  /** The prompt to take back, with everything after it. */
  readonly messageId: string;
  readonly files: boolean;
  readonly conversation: boolean;
  /** Changes nothing and says what would change. */
  readonly dryRun: boolean;
}

export interface RewindResult {
  readonly prompt: SentPrompt;
  /** The prompts after it. */
  readonly later: readonly SentPrompt[];
  /** Undefined when the files were not asked for. */
  readonly files: FileChanges | undefined;
}

export async function rewind(conversation: Conversation, request: RewindRequest): Promise<RewindResult> {
  const { rewinder } = conversation;
  if (rewinder === undefined) throw new EngineFailure("invalid", "prompts of this session cannot be taken back");
  if (request.files && !rewinder.restoresFiles) {
    throw new EngineFailure("invalid", "the files of this session cannot be restored: only the conversation can");
  }
  const { messageId } = request;
  const prompts = await rewinder.prompts();
  const index = prompts.findIndex((prompt) => prompt.messageId === messageId);
  const prompt = prompts[index];
  if (prompt === undefined) throw new EngineFailure("invalid", "messageId must be that of a prompt of the session");
  const restore = request.dryRun ? rewinder.previewFiles : rewinder.restoreFiles;
  const files = request.files ? await restore(messageId) : undefined;
  if (request.conversation && !request.dryRun) await rewinder.undo(messageId);
  return { prompt, later: prompts.slice(index + 1), files };
}

/** The text blocks of a prompt, joined. */
export function promptText(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}
