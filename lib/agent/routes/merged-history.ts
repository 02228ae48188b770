/**
 * Puts the saved parts of two engines into the order in which they happened.
 *
 * Each part is cut at the user's prompts; `turns` says which engine had each turn. In a
 * duet both engines had the same prompt, so that of the second is left out.
 */
import type { SessionUpdate } from "../../acp/index.ts";

/** A turn of a session: the engine, with a `+` when it answered after another one in a duet. */
export type TurnMark = string;

export function followUp(engine: string): TurnMark {
  return `${engine}+`;
}

export function mergedHistory(
  parts: ReadonlyMap<string, readonly SessionUpdate[]>,
  turns: readonly TurnMark[],
): readonly SessionUpdate[] {
  const left = new Map([...parts].map(([engine, updates]) => [engine, turnsIn(updates)]));
  const merged: SessionUpdate[] = [];
  for (const mark of turns) {
    const isFollowUp = mark.endsWith("+");
    const turn = left.get(isFollowUp ? mark.slice(0, -1) : mark)?.shift() ?? [];
    for (const one of turn) if (!isFollowUp || one.sessionUpdate !== "user_message_chunk") merged.push(one);
  }
  // Turns that the list does not have, for example because they were made by the engine's own program.
  for (const rest of left.values()) for (const one of rest.flat()) merged.push(one);
  return merged;
}

/** The updates of each turn. A turn begins with the user's message; what comes before the first belongs to it. */
function turnsIn(updates: readonly SessionUpdate[]): SessionUpdate[][] {
  const turns: SessionUpdate[][] = [[]];
  let isUser = false;
  let hasPrompt = false;
  for (const update of updates) {
    const isUsers = update.sessionUpdate === "user_message_chunk";
    if (isUsers && !isUser && hasPrompt) turns.push([]);
    turns.at(-1)?.push(update);
    isUser = isUsers;
    hasPrompt ||= isUsers;
  }
  return turns;
}
