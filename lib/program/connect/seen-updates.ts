/**
 * Remembers how much of a conversation the editor has. When the conversation is loaded again
 * after a lost connection, `ReplayFilter` leaves out what the editor has.
 *
 * Text is counted in characters for each message, because a replay may split the same text
 * into other chunks. Tool calls are recognized by their id and status. Every other update,
 * such as a plan, says how things are now and is not remembered.
 */
import { isRecord } from "../../schema/index.ts";
import { ReplayFilter } from "./replay-filter.ts";
import { callIdOf, kindOf, messageKey, textOf, type Update, userKind } from "./update-parts.ts";

/** Tool calls and messages remembered in a session; the oldest are forgotten. */
const maxRemembered = 10_000;
/** How much of a prompt is remembered. */
const maxPromptChars = 200;

export class SeenUpdates {
  /** Characters of each message by `messageKey`, and of each kind of message by its kind. */
  readonly #chars = new Map<string, number>();
  readonly #kindChars = new Map<string, number>();
  /** The last status of each tool call. */
  readonly #calls = new Map<string, string>();
  /** The beginnings of the user's messages after which nothing of the agent has come. */
  #unanswered: string[] = [];
  #userMessageId: unknown;

  /** The editor has got this update. */
  add(update: Update): void {
    const kind = kindOf(update);
    if (kind === userKind) return this.#addUserChunk(update);
    const text = textOf(update);
    const callId = callIdOf(update);
    if (text === undefined && callId === undefined) return;
    this.#unanswered = [];
    this.#userMessageId = undefined;
    if (text !== undefined) {
      this.#kindChars.set(kind, (this.#kindChars.get(kind) ?? 0) + text.length);
      setBounded(this.#chars, messageKey(update), (this.#chars.get(messageKey(update)) ?? 0) + text.length);
    }
    if (callId === undefined) return;
    const { status } = update;
    setBounded(this.#calls, callId, typeof status === "string" ? status : (this.#calls.get(callId) ?? "pending"));
  }

  /** The editor shows the user's own prompt without an update. */
  addPrompt(prompt: unknown): void {
    const first: unknown = Array.isArray(prompt) ? prompt.find((one) => isRecord(one) && one["type"] === "text") : {};
    this.#addUserMessage(isRecord(first) && typeof first["text"] === "string" ? first["text"] : "");
  }

  /** Filters one replay of the whole conversation. What the filter passes on counts as seen. */
  replay(): ReplayFilter {
    return new ReplayFilter({
      chars: new Map(this.#chars),
      kindChars: new Map(this.#kindChars),
      calls: new Map(this.#calls),
      unanswered: [...this.#unanswered],
    });
  }

  /** The chunks of one message have the same id. */
  #addUserChunk(update: Update): void {
    const id = update["messageId"] ?? "";
    if (id === this.#userMessageId) return;
    this.#userMessageId = id;
    this.#addUserMessage(textOf(update) ?? "");
  }

  #addUserMessage(text: string): void {
    this.#unanswered.push(text.trim().slice(0, maxPromptChars));
    if (this.#unanswered.length > maxRemembered) this.#unanswered.shift();
  }
}

/** Sets an entry as the newest, and forgets the oldest. */
function setBounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= maxRemembered) break;
    map.delete(oldest);
  }
}
