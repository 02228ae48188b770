/**
 * Host answers: the CLI's requests to us while their handlers run.
 *
 * Each is answered exactly once, with an error when nobody can: an unanswered
 * request parks the turn for ever. One the CLI has withdrawn is not answered at
 * all, whatever its handler says later.
 */
import { Fault } from "../../schema/index.ts";
import type { ControlRequest, ControlResponse } from "./frames.ts";
import { completeDecision, type HostHandlers, type HostMethodName, hostMethods } from "./host-methods.ts";

export interface IncomingControlRequestsCallbacks {
  readonly send: (frame: ControlResponse) => void;
  /** A handler threw. The CLI learns that it failed and nothing more. */
  readonly onFailure: (doing: string, cause: unknown) => void;
}

export class IncomingControlRequests {
  readonly #handlers: HostHandlers;
  readonly #callbacks: IncomingControlRequestsCallbacks;
  readonly #open = new Map<string, AbortController>();

  constructor(handlers: HostHandlers, callbacks: IncomingControlRequestsCallbacks) {
    const decide = handlers.can_use_tool;
    this.#handlers =
      decide === undefined
        ? handlers
        : {
            ...handlers,
            can_use_tool: async (asked, signal, said) => completeDecision(asked, await decide(asked, signal, said)),
          };
    this.#callbacks = callbacks;
  }

  take({ request_id, request }: ControlRequest): void {
    // The same id again is the same question; its one answer is on its way.
    if (this.#open.has(request_id)) return;
    const { subtype } = request;
    if (!isHostMethod(subtype)) {
      return this.refuse(request_id, `unsupported control request: ${subtype.slice(0, 80)}`, "unsupported_request");
    }
    // A row's handler takes what the row's schema reads; the table's type cannot say so across rows.
    const handler = this.#handlers[subtype] as
      | ((request: unknown, signal: AbortSignal, said: object) => unknown)
      | undefined;
    if (handler === undefined) return this.refuse(request_id, `${subtype} is not supported`, "unsupported_request");
    const asked: unknown = hostMethods[subtype].request.read(request);
    if (asked instanceof Fault) return this.refuse(request_id, `${subtype}: ${asked.describe()}`, "invalid_request");
    const controller = new AbortController();
    this.#open.set(request_id, controller);
    void this.#run(request_id, subtype, () => handler(asked, controller.signal, request));
  }

  refuse(request_id: string, error: string, error_code: string): void {
    this.#callbacks.send({ type: "control_response", response: { subtype: "error", request_id, error, error_code } });
  }

  /** The CLI no longer wants this answer. Does nothing when the request is already answered. */
  withdraw(request_id: string): void {
    const controller = this.#open.get(request_id);
    if (controller === undefined) return;
    this.#open.delete(request_id);
    controller.abort(new Error("the Claude CLI withdrew its request"));
  }

  /** The CLI is gone; nobody waits any more. */
  abandon(reason: Error): void {
    const controllers = [...this.#open.values()];
    this.#open.clear();
    for (const controller of controllers) controller.abort(reason);
  }

  /** Never rejects: both ends of a handler are answered here. */
  async #run(request_id: string, subtype: HostMethodName, answer: () => unknown): Promise<void> {
    try {
      const response = await answer();
      if (!this.#open.has(request_id)) return;
      this.#callbacks.send({ type: "control_response", response: { subtype: "success", request_id, response } });
      this.#open.delete(request_id);
    } catch (cause) {
      // After a withdrawal a handler may well throw; nobody waits for it.
      if (!this.#open.delete(request_id)) return;
      this.#callbacks.onFailure(subtype, cause);
      this.refuse(request_id, `the host failed to answer ${subtype}`, "host_failed");
    }
  }
}

function isHostMethod(subtype: string): subtype is HostMethodName {
  return Object.hasOwn(hostMethods, subtype);
}
