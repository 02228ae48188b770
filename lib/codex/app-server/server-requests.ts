/**
 * Runs the handler for requests that Codex sends to us, and sends the answers.
 *
 * Every request is answered exactly once, with an error if the handler throws, because an
 * unanswered request blocks the turn for ever. A request that Codex has withdrawn is not
 * answered, whatever its handler returns later.
 */
import { errorCodes, errorLine, type MessageId, type Params, resultLine } from "./message.ts";

/** A request of Codex. */
export interface IncomingRequest {
  readonly method: string;
  readonly params: Params;
}

/** Thrown by a handler for a method that it does not know. */
export class UnsupportedRequest extends Error {
  override readonly name = "UnsupportedRequest";
}

export type ServerRequestHandler = (request: IncomingRequest, signal: AbortSignal) => Promise<unknown>;

export interface ServerRequestsOptions {
  readonly handle: ServerRequestHandler;
  readonly send: (line: string) => void;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export class ServerRequests {
  readonly #options: ServerRequestsOptions;
  readonly #open = new Map<MessageId, AbortController>();

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
  }

  take(id: MessageId, request: IncomingRequest): void {
    // A repeated id is the same request. Its handler is already running.
    if (this.#open.has(id)) return;
    const controller = new AbortController();
    this.#open.set(id, controller);
    void this.#run(id, request, controller.signal);
  }

  /** Codex no longer wants this answer. Does nothing when the request is already answered. */
  withdraw(id: unknown): void {
    if (typeof id !== "string" && typeof id !== "number") return;
    const controller = this.#open.get(id);
    this.#open.delete(id);
    controller?.abort(new Error("Codex withdrew its request"));
  }

  /** The app-server is gone: aborts every open request without an answer. */
  abandon(reason: Error): void {
    const controllers = [...this.#open.values()];
    this.#open.clear();
    for (const controller of controllers) controller.abort(reason);
  }

  /** Never rejects. */
  async #run(id: MessageId, request: IncomingRequest, signal: AbortSignal): Promise<void> {
    const { handle, send, onBug } = this.#options;
    try {
      const result = await handle(request, signal);
      if (this.#open.delete(id)) send(resultLine(id, result));
    } catch (cause) {
      // A handler often throws when its request is withdrawn. That needs no answer.
      if (!this.#open.delete(id)) return;
      if (cause instanceof UnsupportedRequest) {
        return send(errorLine(id, { code: errorCodes.methodNotFound, message: "not supported" }));
      }
      onBug(`codex ${request.method}`, cause);
      send(errorLine(id, { code: errorCodes.internal, message: "the client failed to answer" }));
    }
  }
}
