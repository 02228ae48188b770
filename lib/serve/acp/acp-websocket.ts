/**
 * ACP over WebSocket at `/acp`: access checks of the handshake, and the open connections.
 *
 * Every check is done before the 101 response. A page that cannot send the header
 * Authorization presents a one-time ticket as a subprotocol.
 */
import { randomUUID } from "node:crypto";
import { closeCodes, type UpgradeRequest, type WebSocketLink, webSocketServerLink } from "../../wire/index.ts";
import type { WebSocketOptions } from "../../wire/index.ts";
import { type AccessControl, checkSingleHeaders, urlOf } from "../access-control.ts";
import type { AcpRole, OnAcpConnection } from "./acp-connection.ts";
import { withAcpRules } from "./acp-messages.ts";
import type { ConnectionRegistry } from "../connections.ts";
import { HttpError } from "../http-error.ts";
import { ticketPrefix, type Tickets } from "./tickets.ts";
import type { Socket } from "node:net";

const acpPath = "/acp";
/** The subprotocol that is selected when a client offers it; a browser that offers tickets needs one. */
const acpProtocol = "acp.v1";

export interface AcpWebSocketOptions {
  readonly access: AccessControl;
  readonly tickets: Tickets;
  readonly connections: () => ConnectionRegistry;
  readonly onConnection: OnAcpConnection;
  readonly onBug: (doing: string, cause: unknown) => void;
  /** Limits and timers of the WebSockets. */
  readonly webSocket?: WebSocketOptions | undefined;
}

export class AcpWebSockets {
  readonly #options: AcpWebSocketOptions;
  readonly #open = new Map<WebSocketLink, Promise<void>>();

  constructor(options: AcpWebSocketOptions) {
    this.#options = options;
  }

  /** Handles an `upgrade` event of the server. */
  readonly upgrade = (upgrade: UpgradeRequest): void => {
    try {
      this.#accept(upgrade, this.#roleOf(upgrade));
    } catch (cause) {
      const error = HttpError.of(cause);
      if (error === undefined) this.#options.onBug("upgrade", cause);
      upgrade.socket.on("error", () => {});
      upgrade.socket.end(responseText(error ?? new HttpError("bug", "something went wrong in bowline")));
    }
  };

  /** Closes every connection with 1001. Resolves when all sockets are gone. */
  async close(reason: string): Promise<void> {
    for (const link of this.#open.keys()) link.closeWith({ code: closeCodes.goingAway, reason });
    await Promise.all(this.#open.values());
  }

  #roleOf({ request, socket }: UpgradeRequest): AcpRole {
    checkSingleHeaders(request.rawHeaders);
    const { access, tickets, connections } = this.#options;
    access.admit(request.headers);
    const ticket = ticketOf(request.headers["sec-websocket-protocol"]);
    const role = ticket === undefined ? access.checkToken(request.headers) : tickets.redeem(ticket);
    if (role === undefined)
      throw new HttpError("unauthorized", "the ticket is unknown, used or expired: get a new one");
    if (urlOf(request.url ?? "").pathname !== acpPath)
      throw new HttpError("not_found", `a WebSocket is opened at ${acpPath}`);
    // The socket of a TCP server is a Socket.
    connections().authenticate(socket as Socket);
    return role;
  }

  #accept(upgrade: UpgradeRequest, role: AcpRole): void {
    const connectionId = randomUUID();
    const link = webSocketServerLink(upgrade, {
      ...this.#options.webSocket,
      protocol: acpProtocol,
      headers: { "Acp-Connection-Id": connectionId },
    });
    if (link === undefined) return;
    let onClosed = (): void => {};
    const closed = new Promise<void>((resolve) => (onClosed = resolve));
    this.#open.set(link, closed);
    const ruled = withAcpRules(link, {
      onWrongStart: (reason) => link.closeWith({ code: closeCodes.protocolError, reason }),
      onClosed: () => {
        this.#open.delete(link);
        onClosed();
      },
    });
    const drop = (reason: string): void => link.closeWith({ code: closeCodes.policyViolation, reason });
    this.#options.onConnection(ruled, { connectionId, role, drop });
  }
}

function ticketOf(protocols: string | undefined): string | undefined {
  const offered = (protocols ?? "").split(",").map((one) => one.trim());
  return offered.find((one) => one.startsWith(ticketPrefix))?.slice(ticketPrefix.length);
}

/** An error as the response to an upgrade request, which has no `ServerResponse`. */
function responseText({ status, headers, message, code }: HttpError): string {
  const body = `${JSON.stringify({ type: "error", message, code })}\n`;
  const all = {
    ...headers,
    "cache-control": "no-store",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Refused\r\n${lines.join("")}\r\n${body}`;
}
