/**
 * Requests of the remote agent to the editor: permissions, files, terminals.
 *
 * Each gets an id of ours, because every new connection counts its ids from the start. A
 * permission request that is open when the connection is lost stays open at the editor;
 * when the server asks it again in the same words, it is the same question, and an answer
 * given meanwhile is used. An answer is for what was shown, and for this turn: it is not
 * used for another request about the same tool call, nor after the next prompt.
 */
import { isRecord } from "../../schema/index.ts";
import type { Message } from "./mapped-messages.ts";

export interface EditorQuestionsCallbacks {
  readonly toEditor: (message: Message) => void;
  readonly toRemote: (message: Message) => void;
}

/** Answers that are kept for a question that the server may ask again. */
const maxKeptAnswers = 64;

interface ForwardedQuestion {
  /** The server's id on the present connection; undefined while no connection waits for the answer. */
  remoteId: { readonly id: unknown } | undefined;
  /** The whole request: only the same request is the same question. Undefined when it is asked anew each time. */
  key: string | undefined;
  readonly sessionId: unknown;
}

export class EditorQuestions {
  readonly #callbacks: EditorQuestionsCallbacks;
  readonly #open = new Map<unknown, ForwardedQuestion>();
  /** Answers given while no connection waited for them, by the key of their question. */
  readonly #kept = new Map<string, { readonly answer: Message; readonly sessionId: unknown }>();
  #lastId = 0;

  constructor(callbacks: EditorQuestionsCallbacks) {
    this.#callbacks = callbacks;
  }

  /** The server asks. */
  ask(message: Message): void {
    const key = keyOf(message);
    const remoteId = { id: message["id"] };
    if (key !== undefined) {
      const kept = this.#kept.get(key);
      this.#kept.delete(key);
      if (kept !== undefined) return this.#callbacks.toRemote({ ...kept.answer, id: remoteId.id });
      for (const question of this.#open.values()) {
        if (question.key !== key || question.remoteId !== undefined) continue;
        question.remoteId = remoteId;
        return;
      }
    }
    const id = ++this.#lastId;
    this.#open.set(id, { remoteId, key, sessionId: sessionOf(message) });
    this.#callbacks.toEditor({ ...message, id });
  }

  /** The editor answers. */
  answered(message: Message): void {
    const question = this.#open.get(message["id"]);
    if (question === undefined) return;
    this.#open.delete(message["id"]);
    const { remoteId, key, sessionId } = question;
    if (remoteId !== undefined) return this.#callbacks.toRemote({ ...message, id: remoteId.id });
    if (key === undefined) return;
    this.#kept.set(key, { answer: message, sessionId });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= maxKeptAnswers) break;
      this.#kept.delete(oldest);
    }
  }

  /** The server withdraws a question. */
  cancelled(message: Message): void {
    const { params } = message;
    const requestId = isRecord(params) ? params["requestId"] : undefined;
    for (const [id, { remoteId }] of this.#open) {
      if (remoteId?.id === requestId) this.#callbacks.toEditor({ ...message, params: { requestId: id } });
    }
  }

  connectionLost(): void {
    for (const question of this.#open.values()) question.remoteId = undefined;
  }

  /** A new turn begins: the questions of the turn before are not asked again. */
  turnBegins(sessionId: unknown): void {
    for (const [key, kept] of this.#kept) if (kept.sessionId === sessionId) this.#kept.delete(key);
    for (const question of this.#open.values())
      if (question.sessionId === sessionId && question.remoteId === undefined) question.key = undefined;
  }
}

function sessionOf({ params }: Message): unknown {
  return isRecord(params) ? params["sessionId"] : undefined;
}

function keyOf({ method, params }: Message): string | undefined {
  if (method !== "session/request_permission" || !isRecord(params) || !isRecord(params["toolCall"])) return undefined;
  return typeof params["toolCall"]["toolCallId"] === "string" ? JSON.stringify(params) : undefined;
}
