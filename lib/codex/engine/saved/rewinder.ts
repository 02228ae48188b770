/**
 * Takes back prompts of a Codex conversation: the conversation by `thread/revert`, files by
 * undoing the patches that are in the history.
 *
 * Codex keeps no earlier versions of files. Its patches say what they changed, so a file
 * that is still what they made of it can be restored; others, and those behind links, are
 * refused, and then no file is written.
 */
import { EngineFailure, type FileChanges, type Rewinder, type SentPrompt } from "../../../engine/index.ts";
import { type ReversedPatches, reversePatches } from "../../translate/index.ts";
import { type PromptTurn, promptTurns } from "./conversation-points.ts";
import type { LoadedThread } from "../thread/conversation-thread.ts";
import { PlainFiles } from "./plain-files.ts";
import { threadTurns } from "../thread/thread-turns.ts";

export interface CodexRewinderOptions {
  readonly cwd: string;
  readonly load: () => Promise<LoadedThread>;
  /** Takes back a turn and everything after it. */
  readonly revert: (turnId: string) => Promise<void>;
}

export class CodexRewinder implements Rewinder {
  readonly restoresFiles = true;
  readonly #options: CodexRewinderOptions;
  readonly #disk: PlainFiles;

  constructor(options: CodexRewinderOptions) {
    this.#options = options;
    this.#disk = new PlainFiles(options.cwd);
  }

  readonly prompts = async (): Promise<readonly SentPrompt[]> =>
    (await this.#turns()).map(({ messageId, content }) => ({ messageId, content }));

  readonly previewFiles = async (messageId: string): Promise<FileChanges> => changesOf(await this.#reversed(messageId));

  readonly restoreFiles = async (messageId: string): Promise<FileChanges> => {
    const reversed = await this.#reversed(messageId);
    for (const [path, text] of reversed.files) this.#disk.write(path, text);
    return changesOf(reversed);
  };

  readonly undo = async (messageId: string): Promise<void> => {
    const [turn] = await this.#since(messageId);
    if (turn !== undefined) await this.#options.revert(turn.turnId);
  };

  async #reversed(messageId: string): Promise<Reversed> {
    const patches = (await this.#since(messageId)).flatMap((turn) => turn.patches);
    const reversed = reversePatches(patches, (path) => this.#disk.read(path));
    if (reversed.kind === "reversed") return reversed;
    throw new EngineFailure("refused", `the files cannot be restored: ${reversed.path} has been changed since`);
  }

  /** The prompt and those after it. */
  async #since(messageId: string): Promise<readonly PromptTurn[]> {
    const turns = await this.#turns();
    const first = turns.findIndex((turn) => turn.messageId === messageId);
    if (first < 0) throw new EngineFailure("invalid", "the conversation has no such prompt");
    return turns.slice(first);
  }

  async #turns(): Promise<readonly PromptTurn[]> {
    const { server, threadId } = await this.#options.load();
    return promptTurns(threadTurns(server, threadId));
  }
}

type Reversed = Extract<ReversedPatches, { readonly kind: "reversed" }>;

function changesOf({ files, insertions, deletions }: Reversed): FileChanges {
  return { paths: [...files.keys()], insertions, deletions };
}
