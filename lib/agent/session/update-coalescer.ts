/**
 * Joins text chunks into fewer `session/update` notifications.
 *
 * The first chunk is sent at once; later chunks of the same message are joined and
 * sent once per interval, so a fast model costs one update per interval and a slow
 * one is not delayed. Every other update is sent at once, after the text before it.
 * Nothing is sent before `release`, because the client must know the session first.
 */
import type { AgentConnection, AgentMessageChunk, AgentThoughtChunk, SessionUpdate } from "../../acp/index.ts";
import type { Schedule } from "../../wire/index.ts";
import { CallFailed } from "../../rpc/index.ts";

/** One frame at 60 Hz. */
const defaultIntervalMs = 16;

/** Updates held before `release`; a CLI without a prompt emits a handful. */
export const maxHeld = 1000;

export interface UpdateCoalescerOptions {
  readonly send: (update: SessionUpdate) => void;
  readonly after: Schedule;
  readonly intervalMs?: number | undefined;
}

type TextUpdate = (AgentMessageChunk | AgentThoughtChunk) & { readonly content: { readonly type: "text" } };

export class UpdateCoalescer {
  readonly #options: UpdateCoalescerOptions;
  readonly #intervalMs: number;
  #waiting: { readonly first: TextUpdate; text: string } | undefined;
  #isInInterval = false;
  /** Updates pushed before `release`; undefined afterwards. */
  #held: SessionUpdate[] | undefined = [];

  constructor(options: UpdateCoalescerOptions) {
    this.#options = options;
    this.#intervalMs = options.intervalMs ?? defaultIntervalMs;
  }

  /** The client knows the session: sends the updates held so far. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const update of held) this.push(update);
  }

  push(update: SessionUpdate): void {
    if (this.#held !== undefined) {
      if (this.#held.length < maxHeld) this.#held.push(update);
      return;
    }
    if (!isText(update)) {
      this.flush();
      return this.#options.send(update);
    }
    const waiting = this.#waiting;
    if (waiting !== undefined && isSameMessage(waiting.first, update)) {
      waiting.text += update.content.text;
      return;
    }
    this.flush();
    if (this.#isInInterval) {
      this.#waiting = { first: update, text: update.content.text };
      return;
    }
    this.#options.send(update);
    this.#startInterval();
  }

  /** Sends the joined text that waits for the end of the interval. */
  flush(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    const { first, text } = waiting;
    this.#options.send(text === first.content.text ? first : { ...first, content: { ...first.content, text } });
  }

  #startInterval(): void {
    this.#isInInterval = true;
    this.#options.after(this.#intervalMs, () => {
      this.#isInInterval = false;
      if (this.#waiting === undefined) return;
      this.flush();
      this.#startInterval();
    });
  }
}

/**
 * Returns false when the client does not keep up. A client that has sent `initialize` again
 * may support fewer updates than before; an update it does not support is dropped.
 */
export function sendUpdate(client: AgentConnection, sessionId: string, update: SessionUpdate): boolean {
  try {
    return client.send(sessionId, update);
  } catch (cause) {
    if (cause instanceof CallFailed) return true;
    throw cause;
  }
}

function isText(update: SessionUpdate): update is TextUpdate {
  const isMessage = update.sessionUpdate === "agent_message_chunk" || update.sessionUpdate === "agent_thought_chunk";
  return isMessage && update.content.type === "text";
}

function isSameMessage(left: TextUpdate, right: TextUpdate): boolean {
  return left.sessionUpdate === right.sessionUpdate && left.messageId === right.messageId;
}
