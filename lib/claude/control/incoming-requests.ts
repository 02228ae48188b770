/**
 * Runs the handlers for control requests that the CLI sends to us, and sends the answers.
 *
 * Every request is answered exactly once, with an error if there is no handler or the
 * handler throws, because an unanswered request blocks the turn for ever. A request the
 * CLI has withdrawn is not answered, whatever its handler returns later.
 */
import { Fault } from "../../schema/index.ts";
import type { CanUseTool, ToolDecision } from "../protocol/permission.ts";
import type { ControlRequest, ControlResponse } from "./frames.ts";
import { type HostHandlers, type HostMethodName, hostMethods } from "./host-methods.ts";

export interface IncomingControlRequestsCallbacks {
  readonly send: (frame: ControlResponse) => void;
  /** A handler threw. The CLI gets an error response without the cause. */
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
            can_use_tool: async (asked, signal, raw) => completeDecision(asked, await decide(asked, signal, raw)),
          };
    this.#callbacks = callbacks;
  }

  take({ request_id, request }: ControlRequest): void {
    // A repeated id is the same request. Its handler is already running.
    if (this.#open.has(request_id)) return;
    const { subtype } = request;
    if (!isHostMethod(subtype)) {
      return this.refuse(request_id, `unsupported control request: ${subtype.slice(0, 80)}`, "unsupported_request");
    }
    // Each handler takes what its row's schema reads; TypeScript cannot express that across rows.
    const handler = this.#handlers[subtype] as
      | ((request: unknown, signal: AbortSignal, raw: object) => unknown)
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

  /** The CLI has exited: aborts every open request without an answer. */
  abandon(reason: Error): void {
    const controllers = [...this.#open.values()];
    this.#open.clear();
    for (const controller of controllers) controller.abort(reason);
  }

  /** Never rejects: a handler that throws is answered with an error. */
  async #run(request_id: string, subtype: HostMethodName, answer: () => unknown): Promise<void> {
    try {
      const response = await answer();
      if (!this.#open.has(request_id)) return;
      this.#callbacks.send({ type: "control_response", response: { subtype: "success", request_id, response } });
      this.#open.delete(request_id);
    } catch (cause) {
      // A handler often throws when its request is withdrawn. That needs no answer.
      if (!this.#open.delete(request_id)) return;
      this.#callbacks.onFailure(subtype, cause);
      this.refuse(request_id, `the host failed to answer ${subtype}`, "host_failed");
    }
  }
}

function isHostMethod(subtype: string): subtype is HostMethodName {
  return Object.hasOwn(hostMethods, subtype);
}

/**
 * Fills in `updatedInput` of an allowing decision with the input the CLI asked about.
 * Newer CLIs use that input by default; 2.1.197 does not run the tool when it is missing.
 */
function completeDecision(asked: CanUseTool, decision: ToolDecision): ToolDecision {
  return decision.behavior === "allow" && decision.updatedInput === undefined
    ? { ...decision, updatedInput: asked.input }
    : decision;
}
