/**
 * Remembers how much of a conversation the editor has. When the conversation is loaded again
 * after a lost connection, the editor gets only what it has missed.
 *
 * Text is counted in characters for each kind of message, because a replay may split the same
 * text into other chunks. Tool calls are recognized by their id and status. Every other update,
 * such as a plan, says how things are now and is passed on again.
 */
import { isRecord } from "../../schema/index.ts";

type Update = Readonly<Record<string, unknown>>;

/** Tool calls remembered in a session; the oldest are forgotten. */
const maxCalls = 10_000;

export class SeenUpdates {
  readonly #chars = new Map<string, number>();
  readonly #calls = new Map<string, string>();

  /** The editor has got this update. */
  add(update: Update): void {
    const kind = String(update["sessionUpdate"]);
    const text = textOf(update);
    if (text !== undefined) this.#chars.set(kind, (this.#chars.get(kind) ?? 0) + text.length);
    const id = callIdOf(update);
    if (id === undefined) return;
    const { status } = update;
    this.#calls.set(id, typeof status === "string" ? status : (this.#calls.get(id) ?? "pending"));
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= maxCalls) break;
      this.#calls.delete(oldest);
    }
  }

  /** The editor shows the user's own prompt without an update. */
  addPrompt(prompt: unknown): void {
    for (const content of Array.isArray(prompt) ? prompt : [])
      this.add({ sessionUpdate: "user_message_chunk", content });
  }

  /** Filters one replay of the whole conversation. Returns what the editor has not got; undefined for nothing. */
  replay(): (update: Update) => Update | undefined {
    const left = new Map(this.#chars);
    const known = new Map(this.#calls);
    return (update) => {
      const missed = this.#missed(update, left, known);
      if (missed !== undefined) this.add(missed);
      return missed;
    };
  }

  #missed(update: Update, left: Map<string, number>, known: Map<string, string>): Update | undefined {
    const kind = String(update["sessionUpdate"]);
    const text = textOf(update);
    if (text !== undefined) {
      const skipped = Math.min(left.get(kind) ?? 0, text.length);
      left.set(kind, (left.get(kind) ?? 0) - skipped);
      if (skipped === 0) return update;
      return skipped === text.length
        ? undefined
        : { ...update, content: { ...contentOf(update), text: text.slice(skipped) } };
    }
    const id = callIdOf(update);
    const status = id === undefined ? undefined : known.get(id);
    if (id === undefined || status === undefined) return update;
    const isEnd = update["status"] === "completed" || update["status"] === "failed";
    return isEnd && status !== "completed" && status !== "failed"
      ? { ...update, sessionUpdate: "tool_call_update" }
      : undefined;
  }
}

function contentOf(update: Update): Update {
  return isRecord(update["content"]) ? update["content"] : {};
}

function textOf(update: Update): string | undefined {
  const { text } = contentOf(update);
  return /_message_chunk$|_thought_chunk$/.test(String(update["sessionUpdate"])) && typeof text === "string"
    ? text
    : undefined;
}

function callIdOf(update: Update): string | undefined {
  const id = update["toolCallId"];
  return String(update["sessionUpdate"]).startsWith("tool_call") && typeof id === "string" ? id : undefined;
}
