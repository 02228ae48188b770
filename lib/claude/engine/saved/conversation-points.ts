/**
 * Finds points of a saved conversation by the message ids that a replay shows: the user's
 * prompts, and where a fork begins.
 *
 * What counts as a prompt is what the translation shows as one. Does no IO: the events come
 * from the function `replay`.
 */
import type { ContentBlock } from "../../../acp/index.ts";
import { type ClientView, unmentioned } from "../../../display/index.ts";
import type { ForkPoint, SentPrompt } from "../../../engine/index.ts";
import type { ConversationEvent } from "../../index.ts";
import { fold, TranslationState } from "../../translate/index.ts";

/** Calls the function for every event of the conversation, in order. */
export type ReplayEvents = (onEvent: (event: ConversationEvent) => void) => Promise<unknown>;

/** The user's prompts since the last compaction, oldest first. The CLI cannot go back to before a compaction. */
export async function promptsIn(replay: ReplayEvents): Promise<readonly SentPrompt[]> {
  const state = new TranslationState(textOnlyView);
  const prompts: SentPrompt[] = [];
  await replay((event) => {
    for (const update of fold(state, event)) {
      if (update.sessionUpdate !== "user_message_chunk" || update.messageId == null) continue;
      const last = prompts.at(-1);
      if (last?.messageId !== update.messageId)
        prompts.push({ messageId: update.messageId, content: [update.content] });
      else prompts[prompts.length - 1] = { ...last, content: [...last.content, update.content] };
    }
    if (event.type === "system" && event.subtype === "compact_boundary") prompts.length = 0;
  });
  return prompts.map(({ messageId, content }) => ({ messageId, content: sendable(content) }));
}

/** The content as it can be sent again: a text before another text is not the user's, so it mentions no file. */
function sendable(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.flatMap((block, i): readonly ContentBlock[] => {
    if (block.type !== "text" || content[i + 1]?.type !== "text") return [block];
    return [{ ...block, text: unmentioned(block.text) }];
  });
}

/** `messageId`: a prompt, which the fork does not contain, or a message of the agent, with which it ends. */
export async function forkPointIn(replay: ReplayEvents, messageId: string): Promise<ForkPoint> {
  let last: string | undefined;
  let found: ForkPoint | undefined;
  await replay((event) => {
    if (event.type === "user" && event.uuid === messageId && event.parent_tool_use_id == null) {
      found ??= last === undefined ? { kind: "beginning" } : { kind: "at", at: last };
    }
    if (event.type !== "assistant" || event.parent_tool_use_id != null || event.uuid === undefined) return;
    last = event.uuid;
    // A message is several entries, one for each block; the last of them is the point.
    if (event.message.id === messageId || event.uuid === messageId) found = { kind: "at", at: event.uuid };
  });
  return found ?? { kind: "unknown" };
}

const textOnlyView: ClientView = {
  cwd: "/",
  showsTerminals: false,
  showsNotices: false,
  showsCompaction: false,
  textOf: () => undefined,
};
