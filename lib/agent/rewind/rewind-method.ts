/**
 * The extension method `_session/rewind`, for clients that show rewinding themselves.
 *
 * With `list: true` it answers with the user's prompts. Otherwise it takes a prompt back, with the
 * later ones: in the `files`, in the `conversation`, or in both. With `dryRun: true` it changes nothing
 * and only says which files would change. With `replay: true` it sends the remaining conversation
 * as updates before the answer.
 */
import type { ContentBlock, Extensions } from "../../acp/index.ts";
import type { FileChanges } from "../../engine/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import { boolean, Fault, object, optional, type Static, string } from "../../schema/index.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";

const params = object({
  sessionId: string,
  messageId: optional(string),
  files: optional(boolean),
  conversation: optional(boolean),
  dryRun: optional(boolean),
  replay: optional(boolean),
  list: optional(boolean),
});
export type RewindParams = Static<typeof params>;

export interface RewindListResponse {
  /** The prompts that can be taken back, oldest first. */
  readonly prompts: readonly { readonly messageId: string; readonly prompt: readonly ContentBlock[] }[];
  readonly restoresFiles: boolean;
}

export interface RewindResponse {
  readonly messageId: string;
  /** The prompt that was taken back, to be edited and sent again. */
  readonly prompt: readonly ContentBlock[];
  /** The ids of the later prompts, which are taken back with it. */
  readonly later: readonly string[];
  /** Present when the files were asked for. */
  readonly files?: FileChanges;
}

export function rewindMethod(sessions: SessionRegistry): Extensions[`_${string}`] {
  return async (given, call): Promise<RewindListResponse | RewindResponse> => {
    const read = params.read(given);
    if (read instanceof Fault) throw invalid(read.describe("params"));
    const session = sessions.get(read.sessionId);
    if (read.list === true) {
      const { prompts, restoresFiles } = await session.rewinding.prompts();
      return { prompts: prompts.map(({ messageId, content }) => ({ messageId, prompt: content })), restoresFiles };
    }
    const { messageId, files = false, conversation = false, dryRun = false } = read;
    if (messageId === undefined) throw invalid("params.messageId must be string, or params.list true");
    if (!files && !conversation) throw invalid("params.files or params.conversation must be true");
    const result = await session.rewinding.run({ messageId, files, conversation, dryRun });
    if (read.replay === true && conversation && !dryRun) await session.replay(call.signal);
    return {
      messageId,
      prompt: result.prompt.content,
      later: result.later.map((prompt) => prompt.messageId),
      ...(result.files && { files: result.files }),
    };
  };
}

function invalid(why: string): RpcError {
  return new RpcError(errorCodes.invalidParams, `_session/rewind: ${why}`);
}
