/**
 * One-time tickets: let a web page open a WebSocket, on which it cannot send headers.
 *
 * A ticket is issued to an authenticated request and has that request's role. It can be
 * used once, within `ticketMs`. It is sent as a subprotocol and never in a URL, which
 * proxies log.
 */
import { randomBytes } from "node:crypto";
import type { Schedule } from "../../wire/index.ts";
import type { AcpRole } from "./acp-connection.ts";

export const ticketMs = 30_000;
/** Tickets that may be unused at a time; the oldest is dropped for one more. */
const maxTickets = 256;
/** A subprotocol that begins with this carries a ticket. */
export const ticketPrefix = "bowline.ticket.";

export class Tickets {
  readonly #after: Schedule;
  readonly #open = new Map<string, { readonly role: AcpRole; readonly cancel: () => void }>();

  constructor(after: Schedule) {
    this.#after = after;
  }

  issue(role: AcpRole): string {
    const ticket = randomBytes(32).toString("base64url");
    this.#open.set(ticket, { role, cancel: this.#after(ticketMs, () => void this.#open.delete(ticket)) });
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= maxTickets) break;
      this.redeem(oldest);
    }
    return ticket;
  }

  /** The role of the ticket, which is used up; undefined when it is unknown, used or expired. */
  redeem(ticket: string): AcpRole | undefined {
    const found = this.#open.get(ticket);
    found?.cancel();
    this.#open.delete(ticket);
    return found?.role;
  }

  close(): void {
    for (const ticket of this.#open.keys()) this.redeem(ticket);
  }
}
