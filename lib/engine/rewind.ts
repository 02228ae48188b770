/**
 * Taking back prompts of a conversation, in the words of ACP.
 *
 * A prompt is named by the message id that a replay gives its `user_message_chunk`s.
 */
import type { ContentBlock } from "../acp/index.ts";

/** What a conversation can take back. Its methods are called when the conversation is ready and no turn runs. */
export interface Rewinder {
  /** False: the engine keeps no earlier versions of files, and only the conversation can be taken back. */
  readonly restoresFiles: boolean;
  /** The user's prompts that can be taken back, oldest first. */
  readonly prompts: () => Promise<readonly SentPrompt[]>;
  /** What `restoreFiles` would change. Rejects with an `EngineFailure`. */
  readonly previewFiles: (messageId: string) => Promise<FileChanges>;
  /** Makes the files that the engine edited what they were before the prompt. Rejects with an `EngineFailure`. */
  readonly restoreFiles: (messageId: string) => Promise<FileChanges>;
  /** Takes back the prompt and everything after it. Rejects with an `EngineFailure`. */
  readonly undo: (messageId: string) => Promise<void>;
}

/** A prompt of the user that is part of the conversation. */
export interface SentPrompt {
  readonly messageId: string;
  readonly content: readonly ContentBlock[];
}

export interface FileChanges {
  /** Absolute paths. */
  readonly paths: readonly string[];
  readonly insertions: number;
  readonly deletions: number;
}
