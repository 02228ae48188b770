/**
 * The border between the ACP transports of the server and what serves their clients.
 *
 * A transport (WebSocket, streamable HTTP) checks access, and makes one link for each
 * ACP connection. Everything behind the link, such as sessions, is the callback's.
 */
import type { Link } from "../../wire/index.ts";

/** What the client's token allows: an observer can neither prompt nor answer. */
export type AcpRole = "owner" | "observer";

export interface AcpConnectionInfo {
  /** Unique and unguessable: a client that has it may use the connection. */
  readonly connectionId: string;
  readonly role: AcpRole;
  /** Ends the connection of a client that exceeds a limit. Left out: the link is closed. */
  readonly drop?: ((reason: string) => void) | undefined;
}

/**
 * Called once for each new ACP connection, before its first message is delivered. The
 * first line of the link is `initialize`. A client that reconnects gets a new connection:
 * sessions outlive connections, and the client attaches to them again.
 */
export type OnAcpConnection = (link: Link, connection: AcpConnectionInfo) => void;
