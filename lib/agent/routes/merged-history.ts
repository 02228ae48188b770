/**
 * Merges the saved histories of two engines into the order in which the turns happened.
 *
 * Each history is split at the user's prompts. `turns` lists the engine and the prompt of each
 * turn, in order. A prompt that is not listed, such as one that was added to a running turn,
 * stays behind the turn that precedes it in the same history. A listed turn that its engine did
 * not save is left out, such as a command that the engine answers itself. In a duet both
 * histories contain the prompt; it is shown once.
 */
import type { SessionUpdate } from "../../acp/index.ts";

/** A turn of a session: the engine, with a `+` when it answered after another one in a duet, and the end of the prompt's id. */
export type TurnMark = string;

/** Enough to tell the prompts of a session from each other. */
const idChars = 12;

export function turnMark(engine: string, promptId: string, isFollowUp: boolean): TurnMark {
  return `${engine}${isFollowUp ? "+" : ""}:${promptId.slice(-idChars)}`;
}

export function mergedHistory(
  parts: ReadonlyMap<string, readonly SessionUpdate[]>,
  turns: readonly TurnMark[],
): readonly SessionUpdate[] {
  const listed = new Set(turns.map(withoutPlus));
  /** What each engine saved, by the mark of the turn, and what comes before its first listed turn. */
  const saved = new Map<string, SessionUpdate[]>();
  const before = new Map<string, SessionUpdate[]>();
  for (const [engine, updates] of parts) {
    let group: SessionUpdate[] = [];
    before.set(engine, group);
    for (const turn of turnsIn(updates)) {
      const mark = markOf(engine, turn);
      if (mark !== undefined && listed.has(mark) && !saved.has(mark)) saved.set(mark, (group = []));
      for (const one of turn) group.push(one);
    }
  }
  const merged: SessionUpdate[] = [];
  const take = (from: Map<string, SessionUpdate[]>, key: string, isFollowUp = false): void => {
    const group = from.get(key) ?? [];
    from.delete(key);
    const prompt = isFollowUp ? promptIdOf(group) : undefined;
    for (const one of group) {
      const isShownBefore =
        one.sessionUpdate === "user_message_chunk" && prompt !== undefined && one.messageId === prompt;
      if (!isShownBefore) merged.push(one);
    }
  };
  for (const turn of turns) {
    const mark = withoutPlus(turn);
    if (!saved.has(mark)) continue;
    take(before, mark.slice(0, mark.indexOf(":")));
    take(saved, mark, turn !== mark);
  }
  for (const engine of before.keys()) take(before, engine);
  return merged;
}

function withoutPlus(mark: TurnMark): TurnMark {
  return mark.replace("+", "");
}

function markOf(engine: string, turn: readonly SessionUpdate[]): TurnMark | undefined {
  const prompt = promptIdOf(turn);
  return prompt === undefined ? undefined : turnMark(engine, prompt, false);
}

/** The id of the first prompt. */
function promptIdOf(turn: readonly SessionUpdate[]): string | undefined {
  return turn.find((one) => one.sessionUpdate === "user_message_chunk")?.messageId ?? undefined;
}

/** The updates of each turn. A turn begins with the user's message; what comes before the first belongs to it. */
function turnsIn(updates: readonly SessionUpdate[]): SessionUpdate[][] {
  const turns: SessionUpdate[][] = [[]];
  let promptId: string | null | undefined;
  let isUser = false;
  let hasPrompt = false;
  for (const update of updates) {
    const isUsers = update.sessionUpdate === "user_message_chunk";
    if (isUsers && hasPrompt && (!isUser || update.messageId !== promptId)) turns.push([]);
    if (isUsers) promptId = update.messageId;
    turns.at(-1)?.push(update);
    isUser = isUsers;
    hasPrompt ||= isUsers;
  }
  return turns;
}
