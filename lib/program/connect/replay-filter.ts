/**
 * Removes from the replay of a conversation what the editor already has.
 *
 * The editor has the conversation up to some point, so everything before something that it
 * has is left out. A message of the user is held until the next message or tool call of the
 * agent shows on which side of that point it is: agents replay prompts in other words than
 * they were sent, for example with the text of a linked file.
 */
import { callIdOf, contentOf, kindOf, messageKey, textOf, type Update, userKind } from "./update-parts.ts";

/** What the editor has; see `SeenUpdates`. The filter uses the maps up. */
export interface SeenParts {
  readonly chars: Map<string, number>;
  readonly kindChars: Map<string, number>;
  readonly calls: ReadonlyMap<string, string>;
  readonly unanswered: string[];
}

/** A message of the user, or another update that came after a held one. */
interface HeldUpdates {
  readonly isUser: boolean;
  readonly messageId: unknown;
  readonly updates: Update[];
}

export class ReplayFilter {
  readonly #seen: SeenParts;
  #held: HeldUpdates[] = [];
  /** Whether the replay names messages as they were named live; known at its first text. */
  #hasSameIds: boolean | undefined;

  constructor(seen: SeenParts) {
    this.#seen = seen;
  }

  /** Takes the next update of the replay. Returns what the editor gets now. */
  take(update: Update): readonly Update[] {
    if (kindOf(update) === userKind) return this.#holdUserChunk(update);
    const text = textOf(update);
    const callId = callIdOf(update);
    if (text !== undefined) return this.#takeText(update, text);
    if (callId !== undefined) return this.#takeCall(update, callId);
    if (this.#held.length === 0) return [update];
    this.#held.push({ isUser: false, messageId: undefined, updates: [update] });
    return [];
  }

  /** The replay is over. Returns what was held. */
  end(): readonly Update[] {
    return this.#release(false);
  }

  #holdUserChunk(update: Update): readonly Update[] {
    const { messageId } = update;
    const last = this.#held.at(-1);
    if (last?.isUser === true && last.messageId === messageId) last.updates.push(update);
    else this.#held.push({ isUser: true, messageId, updates: [update] });
    return [];
  }

  #takeText(update: Update, text: string): readonly Update[] {
    const { chars, kindChars } = this.#seen;
    this.#hasSameIds ??= chars.has(messageKey(update));
    const left = this.#hasSameIds ? chars : kindChars;
    const key = this.#hasSameIds ? messageKey(update) : kindOf(update);
    const skipped = Math.min(left.get(key) ?? 0, text.length);
    left.set(key, (left.get(key) ?? 0) - skipped);
    const released = this.#release(skipped > 0);
    if (skipped === text.length) return released;
    const rest = { ...update, content: { ...contentOf(update), text: text.slice(skipped) } };
    return [...released, skipped === 0 ? update : rest];
  }

  #takeCall(update: Update, callId: string): readonly Update[] {
    const status = this.#seen.calls.get(callId);
    const released = this.#release(status !== undefined);
    if (status === undefined) return [...released, update];
    const hasEnded = isEnd(update["status"]) && !isEnd(status);
    return hasEnded ? [...released, { ...update, sessionUpdate: "tool_call_update" }] : released;
  }

  /** `isBeforeSeen`: the editor has what comes next, so it has the held messages of the user too. */
  #release(isBeforeSeen: boolean): readonly Update[] {
    const held = this.#held;
    this.#held = [];
    return held.flatMap((one) => (one.isUser && (isBeforeSeen || this.#isUnanswered(one)) ? [] : one.updates));
  }

  /** Whether this is one of the last prompts, which the editor shows although nothing has come after them. */
  #isUnanswered({ updates }: HeldUpdates): boolean {
    const { unanswered } = this.#seen;
    const [first] = unanswered;
    const text = updates.map((update) => textOf(update) ?? "").join("");
    if (first === undefined || !text.includes(first)) return false;
    unanswered.shift();
    return true;
  }
}

function isEnd(status: unknown): boolean {
  return status === "completed" || status === "failed";
}
