/**
 * Specs of one-time tickets.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ticketMs, Tickets } from "../../../lib/serve/acp/tickets.ts";
import { fakeClock } from "../../support/fake-clock.ts";

describe("tickets", () => {
  it("a ticket can be used once", () => {
    const tickets = new Tickets(fakeClock().after);
    const ticket = tickets.issue("owner");
    assert.equal(tickets.redeem(ticket), "owner");
    assert.equal(tickets.redeem(ticket), undefined);
  });

  it("a ticket expires after 30 seconds", () => {
    const clock = fakeClock();
    const tickets = new Tickets(clock.after);
    const ticket = tickets.issue("observer");
    clock.advance(ticketMs - 1);
    const late = tickets.issue("observer");
    clock.advance(1);
    assert.equal(tickets.redeem(ticket), undefined);
    assert.equal(tickets.redeem(late), "observer");
    assert.equal(clock.pending(), 0);
  });

  it("at most 256 tickets are kept, the newest ones", () => {
    const clock = fakeClock();
    const tickets = new Tickets(clock.after);
    const all = Array.from({ length: 300 }, () => tickets.issue("owner"));
    assert.equal(clock.pending(), 256);
    assert.equal(tickets.redeem(all[0] ?? ""), undefined);
    assert.equal(tickets.redeem(all[299] ?? ""), "owner");
    tickets.close();
    assert.equal(clock.pending(), 0);
  });
});
