/**
 * The interface of a client that is attached to a session, as the session needs it.
 */
import type { Attachment, LineReceiver } from "./attachment.ts";
import type { Answerer } from "./questions.ts";
import type { ClientRole } from "../client/role.ts";

export interface SessionClient extends LineReceiver {
  readonly role: ClientRole;
  /** Whether the client can serve this method, such as `fs/read_text_file`. */
  readonly canServe: (method: string) => boolean;
  /** Calls a method of the client for the agent. */
  readonly forward: (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>;
  readonly canAnswer: Answerer["canAnswer"];
}

/** A client in a session. */
export interface Attached {
  readonly client: SessionClient;
  readonly attachment: Attachment;
  readonly answerer: Answerer;
  /** While such a client is attached, the session does not count as unused and stays open. */
  readonly keepsOpen: boolean;
}
