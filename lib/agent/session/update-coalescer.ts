/**
 * Outgoing: a session's updates on their way to the client, words joined.
 *
 * The first word leaves at once; words that follow within one interval leave
 * together, so a fast model costs one update each interval and a slow one is
 * never held back. Everything else leaves in order, at once. Nothing leaves
 * before `release`: the editor has to know the session first.
 */
import type { AgentConnection, AgentMessageChunk, AgentThoughtChunk, SessionUpdate } from "../../acp/index.ts";
import type { Schedule } from "../../wire/index.ts";
import { CallFailed } from "../../rpc/index.ts";

/** A screen's frame: more often than this nobody can read. */
const defaultIntervalMs = 16;

/** Updates kept for an editor that does not know the session yet; a CLI nobody prompted says a handful. */
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
  /** What came before the editor knew the session. */
  #held: SessionUpdate[] | undefined = [];

  constructor(options: UpdateCoalescerOptions) {
    this.#options = options;
    this.#intervalMs = options.intervalMs ?? defaultIntervalMs;
  }

  /** The editor knows the session. */
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

  /** Sends the words that wait. */
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

/** False: the client lags. One that was greeted anew may not take what it took before; that is left out. */
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
