/**
 * An agent's connection to its client: typed calls, updates, and what the client can do.
 */
import type { Link, Router } from "../rpc/index.ts";
import type { ClientCapabilities, Implementation } from "./protocol/capabilities.ts";
import { Connection, type ConnectionOptions, notAdvertised } from "./connection.ts";
import type { CreateElicitationRequest } from "./protocol/elicitation.ts";
import { missingForClientMethod, missingForElicitation, missingForUpdate } from "./capability-checks.ts";
import type { AuthMethod, InitializeRequest } from "./protocol/initialize.ts";
import { type ClientMethods, clientMethods } from "./protocol/methods.ts";
import type { SessionNotification, SessionUpdate } from "./protocol/update.ts";

/** The agent's connection to its client: sends updates and calls the client's methods. */
export class AgentConnection extends Connection<ClientMethods> {
  #request: InitializeRequest | undefined;
  #authMethods: readonly AuthMethod[] = [];
  #prefixSession = "";
  #prefix = "";

  constructor(link: Link, router: Router, options: ConnectionOptions) {
    super({
      link,
      router,
      remote: clientMethods,
      missing: (method, params) => this.#missing(method, params),
      options,
    });
  }

  get isInitialized(): boolean {
    return this.#request !== undefined;
  }

  /** What the client advertised; empty before `initialize`. */
  get clientCapabilities(): ClientCapabilities {
    return this.#request?.clientCapabilities ?? {};
  }

  get clientInfo(): Implementation | undefined {
    return this.#request?.clientInfo ?? undefined;
  }

  /** The authentication methods that were offered to this client. */
  get authMethods(): readonly AuthMethod[] {
    return this.#authMethods;
  }

  /** Records an `initialize` that the client has been answered, here or before the agent was loaded. */
  initialized(request: InitializeRequest, authMethods: readonly AuthMethod[]): void {
    this.#request = request;
    this.#authMethods = authMethods;
  }

  /**
   * Sends an update. Returns false when the client lags or is gone. Throws when the
   * client did not advertise this kind of update.
   */
  send(sessionId: string, update: SessionUpdate): boolean {
    const missing = missingForUpdate(this.clientCapabilities, update);
    if (missing !== undefined) throw notAdvertised("session/update", missing);
    // The part before the update is the same for a whole session. Stringifying only the update
    // is 1.5 times as fast as stringifying the message (`npm run bench -- encode`).
    if (sessionId !== this.#prefixSession) {
      this.#prefixSession = sessionId;
      this.#prefix = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":${JSON.stringify(sessionId)},"update":`;
    }
    return this.peer.sendEncoded(`${this.#prefix}${JSON.stringify(update)}}}`);
  }

  /**
   * Sends an update. Awaiting the promise keeps memory bounded while the client lags. It
   * rejects when the client did not advertise this kind of update or is gone.
   */
  update(sessionId: string, update: SessionUpdate): Promise<void> {
    try {
      if (this.send(sessionId, update)) return ready;
    } catch (cause) {
      return mayStayUnawaited(Promise.reject(cause));
    }
    return mayStayUnawaited(this.whenWritable());
  }

  /** Sends an update that is not part of the protocol, for clients that expect it. */
  sendForeign(sessionId: string, update: Readonly<Record<string, unknown>>): boolean {
    return this.peer.notify("session/update", { sessionId, update });
  }

  // The casts hold: `Connection` has just read the params with the schema of the method.
  #missing(method: keyof ClientMethods, params: unknown): string | undefined {
    if (method === "elicitation/create") {
      return missingForElicitation(this.clientCapabilities, params as CreateElicitationRequest);
    }
    if (method === "session/update") {
      return missingForUpdate(this.clientCapabilities, (params as SessionNotification).update);
    }
    return missingForClientMethod(this.clientCapabilities, method);
  }
}

const ready = Promise.resolve();

/** Handles the rejection, so that an agent that does not await its updates is not ended by it. */
function mayStayUnawaited(sent: Promise<void>): Promise<void> {
  sent.catch(() => {});
  return sent;
}
