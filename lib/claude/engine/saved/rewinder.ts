/**
 * Takes back prompts of a conversation with the CLI: files by `rewind_files`, the conversation
 * by `rewind_conversation`. Replays the saved conversation without what was taken back.
 *
 * The CLI takes back only the newest prompt at a time, so older prompts are reached step by
 * step. Files must be restored before the conversation is taken back: the CLI forgets the
 * checkpoints of prompts that are gone.
 */
import { EngineFailure, type FileChanges, type Rewinder, type SentPrompt } from "../../../engine/index.ts";
import {
  ClaudeExit,
  type ConversationEvent,
  type OutgoingControlRequests,
  type TranscriptReport,
  type User,
} from "../../index.ts";
import { promptsIn } from "./conversation-points.ts";
import { cliFailure } from "../failures.ts";
import type { SessionStore } from "./session-store.ts";

export interface ClaudeRewinderOptions {
  readonly store: Pick<SessionStore, "replay">;
  readonly conversationId: () => string;
  /** Requests to the running CLI; undefined when none runs. */
  readonly control: () => OutgoingControlRequests | undefined;
  /** A part of the conversation was taken back. */
  readonly onUndone: () => void;
}

type OnEvent = (event: ConversationEvent) => void | Promise<void>;

export class ClaudeRewinder implements Rewinder {
  readonly restoresFiles = true;
  readonly #options: ClaudeRewinderOptions;
  /** The prompts that were taken back. The CLI notes a rewind in the transcript some time after its answer. */
  readonly #undone = new Set<string>();

  constructor(options: ClaudeRewinderOptions) {
    this.#options = options;
  }

  readonly prompts = (): Promise<readonly SentPrompt[]> =>
    promptsIn((onEvent) => this.replay(onEvent, new AbortController().signal));

  readonly previewFiles = (messageId: string): Promise<FileChanges> => this.#files(messageId, true);

  readonly restoreFiles = async (messageId: string): Promise<FileChanges> => {
    // Only the dry run says what changes.
    const changes = await this.#files(messageId, true);
    if (changes.paths.length === 0) return changes;
    await this.#files(messageId, false);
    // The CLI restores no file that has become a link, and names it as a change again.
    const left = new Set((await this.#files(messageId, true)).paths);
    return { ...changes, paths: changes.paths.filter((path) => !left.has(path)) };
  };

  readonly undo = async (messageId: string): Promise<void> => {
    const sent = await this.prompts();
    const first = sent.findIndex((prompt) => prompt.messageId === messageId);
    if (first < 0) throw new EngineFailure("invalid", "the conversation has no such prompt");
    for (const { messageId: target_message_uuid } of sent.slice(first).toReversed()) {
      const answer = await this.#control.request("rewind_conversation", { target_message_uuid }).catch(fail);
      if (answer.rewound !== true) {
        const why = answer.error ?? "it gave no reason";
        throw new EngineFailure("refused", `the Claude CLI did not take the prompt back: ${why}`);
      }
      this.#undone.add(target_message_uuid);
      this.#options.onUndone();
    }
  };

  /** Replays the saved conversation without the prompts that were taken back and what followed them. */
  readonly replay = (onEvent: OnEvent, signal: AbortSignal): Promise<TranscriptReport | undefined> => {
    let isUndone = false;
    const { store, conversationId } = this.#options;
    return store.replay(
      conversationId(),
      (event) => {
        // Tool results are user events too; their uuids are no prompt's.
        if (event.type === "user" && event.parent_tool_use_id == null && !isToolResult(event)) {
          isUndone = event.uuid !== undefined && this.#undone.has(event.uuid);
        }
        return isUndone ? undefined : onEvent(event);
      },
      signal,
    );
  };

  get #control(): OutgoingControlRequests {
    const control = this.#options.control();
    if (control === undefined) throw cliFailure(new ClaudeExit("the Claude CLI ended before it could rewind"));
    return control;
  }

  async #files(user_message_id: string, dry_run: boolean): Promise<FileChanges> {
    const answer = await this.#control.request("rewind_files", { user_message_id, dry_run }).catch(fail);
    if (answer.canRewind !== true) {
      const why = answer.error ?? "the Claude CLI gave no reason";
      throw new EngineFailure("refused", `the files cannot be restored: ${why}`);
    }
    const { filesChanged: paths = [], insertions = 0, deletions = 0 } = answer;
    return { paths, insertions, deletions };
  }
}

function isToolResult({ message: { content } }: User): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "tool_result");
}

function fail(cause: unknown): never {
  throw cliFailure(cause);
}
