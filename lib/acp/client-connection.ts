/**
 * Client connection: the agent, as a client sees it.
 */
import { type Link, type CallOptions, ConnectionClosed, type Router } from "../rpc/index.ts";
import type { AgentCapabilities, Implementation } from "./capabilities.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import {
  missingForAgentMethod,
  missingForAuthenticate,
  missingForPrompt,
  missingForSessionSetup,
  type SessionSetup,
} from "./capability-checks.ts";
import type { AuthenticateRequest, AuthMethod, InitializeResponse } from "./initialize.ts";
import { type AgentMethods, agentMethods } from "./methods.ts";
import type { PromptRequest, PromptResponse } from "./prompt.ts";
import { CallsBySession } from "./calls-by-session.ts";

export class ClientConnection extends Connection<AgentMethods> {
  /** The permission questions that are open now. */
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

  /** What the agent can do; nothing before it has said so. */
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
   * Runs a turn. Aborting the signal cancels the turn as the protocol asks:
   * the agent is told, and the promise resolves with `cancelled` once it has stopped.
   */
  async prompt(params: PromptRequest, { signal }: CallOptions = {}): Promise<PromptResponse> {
    if (signal?.aborted) return { stopReason: "cancelled" };
    // A listener that throws ends the process, and a connection that is gone has ended the turn already.
    const onAbort = (): void => (this.isOpen ? this.cancel(params.sessionId) : undefined);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const response = await this.call("session/prompt", params);
      // What the agent said before it answered was read before; its handlers may still be at work.
      await this.peer.whenHandled(params.sessionId);
      return response;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Cancels a session's turn and answers its open permission questions `cancelled`. */
  cancel(sessionId: string): void {
    if (!this.isOpen) throw new ConnectionClosed("the agent is gone");
    this.notify("session/cancel", { sessionId });
    this.permissions.cancel(sessionId);
  }

  // The gates take what `Connection` has just read with the method's own schema.
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
