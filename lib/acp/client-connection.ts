/**
 * A client's connection to its agent: typed calls, turns, and what the agent can do.
 */
import { type Link, type CallOptions, ConnectionClosed, type Router } from "../rpc/index.ts";
import type { AgentCapabilities, Implementation } from "./protocol/capabilities.ts";
import { CallsBySession, Connection, type ConnectionOptions } from "./connection.ts";
import {
  missingForAgentMethod,
  missingForAuthenticate,
  missingForPrompt,
  missingForSessionSetup,
  type SessionSetup,
} from "./capability-checks.ts";
import type { AuthenticateRequest, AuthMethod, InitializeResponse } from "./protocol/initialize.ts";
import { type AgentMethods, agentMethods } from "./protocol/methods.ts";
import type { PromptRequest, PromptResponse } from "./protocol/prompt.ts";

/** The client's connection to its agent: sends prompts and calls the agent's methods. */
export class ClientConnection extends Connection<AgentMethods> {
  /** The permission requests that are not answered yet. */
  readonly permissions = new CallsBySession();
  #response: InitializeResponse | undefined;

  constructor(link: Link, router: Router, options: ConnectionOptions) {
    super({
      link,
      router,
      remote: agentMethods,
      missing: (method, params) => this.#missing(method, params),
      options,
    });
  }

  /** What the agent advertised; empty before `initialize`. */
  get agentCapabilities(): AgentCapabilities {
    return this.#response?.agentCapabilities ?? {};
  }

  get agentInfo(): Implementation | undefined {
    return this.#response?.agentInfo ?? undefined;
  }

  get authMethods(): readonly AuthMethod[] {
    return this.#response?.authMethods ?? [];
  }

  initialized(response: InitializeResponse): void {
    this.#response = response;
  }

  /**
   * Runs a turn. Aborting the signal sends `session/cancel`; the promise resolves with
   * the stop reason `cancelled` once the agent has stopped.
   */
  async prompt(params: PromptRequest, { signal }: CallOptions = {}): Promise<PromptResponse> {
    if (signal?.aborted) return { stopReason: "cancelled" };
    // A listener that throws would end the process. A closed connection has already ended the turn.
    const onAbort = (): void => (this.isOpen ? this.cancel(params.sessionId) : undefined);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const response = await this.call("session/prompt", params);
      // Updates sent before the response have been read, but their handlers may still run.
      await this.peer.whenHandled(params.sessionId);
      return response;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Cancels a session's turn and answers its open permission requests with `cancelled`. */
  cancel(sessionId: string): void {
    if (!this.isOpen) throw new ConnectionClosed("the agent is gone");
    this.notify("session/cancel", { sessionId });
    this.permissions.cancel(sessionId);
  }

  // The casts hold: `Connection` has just read the params with the schema of the method.
  #missing(method: keyof AgentMethods, params: unknown): string | undefined {
    const capabilities = this.agentCapabilities;
    switch (method) {
      case "authenticate":
        return missingForAuthenticate(this.authMethods, (params as AuthenticateRequest).methodId);
      case "session/prompt":
        return missingForPrompt(capabilities, (params as PromptRequest).prompt);
      case "session/new":
      case "session/load":
      case "session/resume":
      case "session/fork":
        return (
          missingForAgentMethod(capabilities, method) ?? missingForSessionSetup(capabilities, params as SessionSetup)
        );
      case "initialize":
      case "logout":
      case "session/list":
      case "session/delete":
      case "session/close":
      case "session/set_mode":
      case "session/set_config_option":
      case "session/cancel":
      case "session/set_title":
      case "session/status":
      case "session/set_model":
        return missingForAgentMethod(capabilities, method);
    }
  }
}
