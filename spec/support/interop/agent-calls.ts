/**
 * What the scripted agent needs from the library that serves it.
 */
import type { ClientCapabilities, ClientMethods, Implementation, SessionUpdate } from "../../../lib/index.ts";
import type { Ask, CallOf, Fail, Tell } from "./portable.ts";

export interface AgentCalls {
  /** A request to the client. */
  readonly call: CallOf<ClientMethods>;
  readonly ask: Ask;
  readonly tell: Tell;
  readonly update: (sessionId: string, update: SessionUpdate) => Promise<void>;
  readonly fail: Fail;
  /** The client's info and capabilities. */
  readonly client: () => ConnectedClient;
}

export interface ConnectedClient {
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
}
