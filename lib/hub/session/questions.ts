/**
 * The open questions of one session: permission requests and forms of the agent.
 *
 * A question goes to every attached owner, and to those that attach while it is open. The
 * first answer wins; the requests of the others are cancelled. A client that disconnects
 * has not answered. An agent gets an error only when every client that was asked failed.
 */
import {
  CreateElicitationRequest,
  CreateElicitationResponse,
  isFormElicitation,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from "../../acp/index.ts";
import { type Call, CallFailed, errorCodes, RpcError } from "../../rpc/index.ts";
import { Fault } from "../../schema/index.ts";

export type QuestionMethod = "session/request_permission" | "elicitation/create";

export type AskedQuestion =
  | { readonly kind: "permission"; readonly request: RequestPermissionRequest }
  | { readonly kind: "form" | "url" | "other"; readonly request: CreateElicitationRequest };

/** A question as the inbox shows it. */
export interface HubQuestion {
  readonly id: string;
  readonly sessionId: string;
  readonly askedAt: number;
  readonly asked: AskedQuestion;
}

/** A client that can be asked. */
export interface Answerer {
  /** Whether the client can show this question. */
  readonly canAnswer: (asked: AskedQuestion) => boolean;
  /** Calls the method at the client, after it was sent every earlier update. Rejects with `ConnectionClosed` when it is gone. */
  readonly ask: (method: QuestionMethod, params: unknown, signal: AbortSignal) => Promise<unknown>;
}

export interface QuestionsOptions {
  readonly sessionId: string;
  readonly now: () => number;
  /** A name that no other question of the hub has. */
  readonly nextId: () => string;
  readonly answerers: () => Iterable<Answerer>;
  /** Called when the number of open questions changes. */
  readonly onChange: () => void;
  /** Called with the answer that won, and with the client that gave it, if a client did. */
  readonly onAnswered: (question: HubQuestion, answer: unknown, by: Answerer | undefined) => void;
}

interface Open extends HubQuestion {
  readonly method: QuestionMethod;
  readonly params: unknown;
  /** Aborts the requests to the clients. */
  readonly withdrawn: AbortController;
  /** The clients that have been asked and have not failed. */
  readonly asking: Set<Answerer>;
  readonly settle: (answer: unknown, by: Answerer | undefined) => void;
  readonly fail: (error: RpcError) => void;
}

/** Open questions of one session. An agent that asks more is refused. */
const maxQuestions = 256;

export class Questions {
  readonly #options: QuestionsOptions;
  readonly #open = new Map<string, Open>();

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  list(): readonly HubQuestion[] {
    return [...this.#open.values()].map(({ id, sessionId, askedAt, asked }) => ({ id, sessionId, askedAt, asked }));
  }

  /** Asks every client; resolves with the first answer. */
  ask(method: QuestionMethod, params: unknown, call: Call): Promise<unknown> {
    const asked = readQuestion(method, params);
    if (this.#open.size >= maxQuestions)
      throw new RpcError(errorCodes.internalError, `${maxQuestions} questions are open in this session already`);
    const { sessionId, now, nextId, onChange, onAnswered } = this.#options;
    return new Promise((resolve, reject) => {
      const close = (): boolean => {
        if (!this.#open.delete(question.id)) return false;
        question.withdrawn.abort();
        onChange();
        return true;
      };
      const question: Open = {
        id: nextId(),
        sessionId,
        askedAt: now(),
        asked,
        method,
        params,
        withdrawn: new AbortController(),
        asking: new Set(),
        settle: (answer, by) => {
          if (!close()) return;
          resolve(answer);
          onAnswered(question, answer, by);
        },
        fail: (error) => void (close() && reject(error)),
      };
      this.#open.set(question.id, question);
      onChange();
      call.signal.addEventListener("abort", () => question.fail(withdrawnError(method)), { once: true });
      if (call.isAborted) return question.fail(withdrawnError(method));
      for (const answerer of this.#options.answerers()) this.#put(question, answerer);
    });
  }

  /** Asks a client that has just attached every open question. */
  attached(answerer: Answerer): void {
    for (const question of this.#open.values()) this.#put(question, answerer);
  }

  /** Answers without a client, for example over HTTP. Throws an `RpcError` for an answer that does not fit. */
  answer(id: string, answer: unknown): boolean {
    const question = this.#open.get(id);
    if (question === undefined) return false;
    checkAnswer(question, answer);
    question.settle(answer, undefined);
    return true;
  }

  /** Answers every open question with `cancelled`, as a client does that cancels the turn. */
  cancelAll(): void {
    for (const question of this.#open.values()) question.settle(cancelledAnswer(question.method), undefined);
  }

  #put(question: Open, answerer: Answerer): void {
    if (question.asking.has(answerer) || !answerer.canAnswer(question.asked)) return;
    question.asking.add(answerer);
    const { method, params, withdrawn } = question;
    answerer.ask(method, params, withdrawn.signal).then(
      (answer) => {
        try {
          checkAnswer(question, answer);
          question.settle(answer, answerer);
        } catch (cause) {
          this.#failed(question, answerer, cause);
        }
      },
      (cause: unknown) => this.#failed(question, answerer, cause),
    );
  }

  #failed(question: Open, answerer: Answerer, cause: unknown): void {
    question.asking.delete(answerer);
    // A client that is gone has not failed: another may attach and answer.
    if (!(cause instanceof RpcError)) return;
    if (question.asking.size === 0) question.fail(new RpcError(cause.code, cause.message, cause.data));
  }
}

function readQuestion(method: QuestionMethod, params: unknown): AskedQuestion {
  if (method === "session/request_permission") {
    const request = RequestPermissionRequest.read(params);
    if (request instanceof Fault)
      throw new RpcError(errorCodes.invalidParams, `${method}: ${request.describe("params")}`);
    return { kind: "permission", request };
  }
  const request = CreateElicitationRequest.read(params);
  if (request instanceof Fault)
    throw new RpcError(errorCodes.invalidParams, `${method}: ${request.describe("params")}`);
  return { kind: isFormElicitation(request) ? "form" : request.mode === "url" ? "url" : "other", request };
}

/** An option that was not offered is no answer. */
function checkAnswer({ method, asked }: Open, answer: unknown): void {
  const schema = method === "elicitation/create" ? CreateElicitationResponse : RequestPermissionResponse;
  const read = schema.read(answer);
  if (read instanceof Fault) throw new CallFailed(errorCodes.invalidParams, `${method}: ${read.describe("result")}`);
  if (asked.kind !== "permission" || !("outcome" in read)) return;
  const { outcome } = read;
  if (outcome.outcome !== "selected") return;
  if (!asked.request.options.some(({ optionId }) => optionId === outcome.optionId))
    throw new CallFailed(errorCodes.invalidParams, "optionId must be one that was offered");
}

function cancelledAnswer(method: QuestionMethod): unknown {
  return method === "elicitation/create" ? { action: "cancel" } : { outcome: { outcome: "cancelled" } };
}

function withdrawnError(method: string): RpcError {
  return new RpcError(errorCodes.requestCancelled, `${method}: the request was cancelled`);
}
