/**
 * Finds points of a saved conversation by the message ids that a replay shows: the user's
 * prompts, and where a fork begins.
 *
 * Codex takes back and forks whole turns, so a prompt that was added to a running turn is
 * no point of its own. Does no IO: the turns come from the caller.
 */
import type { ContentBlock } from "../../../acp/index.ts";
import type { ForkPoint, SentPrompt } from "../../../engine/index.ts";
import type { FileChangeItem, CodexTurn } from "../../protocol/index.ts";
import { foldPrompt } from "../../translate/index.ts";

/** A prompt with the turn that it has started, and the patches that were applied from then on to the next prompt. */
export interface PromptTurn extends SentPrompt {
  readonly turnId: string;
  readonly patches: readonly FileChangeItem[];
}

/** The user's prompts, oldest first. A prompt that led to several turns, such as a plan that was carried out, is one. */
export async function promptTurns(turns: AsyncIterable<CodexTurn>): Promise<readonly PromptTurn[]> {
  const prompts: { messageId: string; content: readonly ContentBlock[]; turnId: string; patches: FileChangeItem[] }[] =
    [];
  for await (const turn of turns) {
    const shown = promptOf(turn);
    if (shown !== undefined && !prompts.some(({ messageId }) => messageId === shown.messageId)) {
      prompts.push({ ...shown, turnId: turn.id, patches: [] });
    }
    for (const item of turn.items ?? []) {
      if (item.type === "fileChange" && item.status === "completed") prompts.at(-1)?.patches.push(item);
    }
  }
  return prompts;
}

/** `messageId`: a prompt, which the fork does not contain, or a message of the agent, with whose turn it ends. */
export async function forkPointIn(turns: AsyncIterable<CodexTurn>, messageId: string): Promise<ForkPoint> {
  let previous: string | undefined;
  for await (const turn of turns) {
    if (promptOf(turn)?.messageId === messageId) {
      return previous === undefined ? { kind: "beginning" } : { kind: "at", at: previous };
    }
    const isIn = (turn.items ?? []).some((item) => item.type === "agentMessage" && item.id === messageId);
    if (isIn) return { kind: "at", at: turn.id };
    previous = turn.id;
  }
  return { kind: "unknown" };
}

/** The prompt with which the turn begins, as a replay shows it. */
function promptOf({ items = [] }: CodexTurn): SentPrompt | undefined {
  const message = (items ?? []).find((item) => item.type === "userMessage");
  const chunks = message === undefined ? [] : foldPrompt(message);
  const content = chunks.flatMap((one) => (one.sessionUpdate === "user_message_chunk" ? [one.content] : []));
  if (message === undefined || content.length === 0) return undefined;
  return { messageId: message.clientId ?? message.id, content };
}
