/**
 * Specs of `TurnQueue`: one turn runs at a time, the others wait.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Turn } from "../../../lib/agent/turn/turn.ts";
import { maxQueuedTurns, TurnQueue } from "../../../lib/agent/turn/turn-queue.ts";

describe("TurnQueue", () => {
  /** A queue, and the turns that it has started. */
  function queue(): { readonly turns: TurnQueue; readonly ran: Turn[]; readonly newTurn: () => Turn } {
    const ran: Turn[] = [];
    const newTurn = (): Turn => {
      const turn = new Turn("1", [], undefined, (action) => void (action === "prepare" && ran.push(turn)));
      return turn;
    };
    return { turns: new TurnQueue(), ran, newTurn };
  }

  it("the queue runs one turn at a time, in order", async () => {
    const { turns, ran, newTurn } = queue();
    const [first, second] = [newTurn(), newTurn()];
    turns.push(first);
    turns.push(second);
    assert.deepEqual(ran, [first]);
    assert.equal(turns.current, first);
    first.take({ kind: "cancel" });
    await first.ended;
    await new Promise(setImmediate);
    assert.deepEqual(ran, [first, second]);
    assert.equal(turns.current, second);
  });

  it("cancelWaiting cancels the waiting turns without running them", async () => {
    const { turns, ran, newTurn } = queue();
    const [first, second] = [newTurn(), newTurn()];
    turns.push(first);
    turns.push(second);
    turns.cancelWaiting();
    assert.deepEqual(await second.ended, { kind: "stopped", stopReason: "cancelled" });
    assert.equal(first.isSettled, false);
    assert.deepEqual(ran, [first]);
  });

  it("the queue refuses a turn past its limit", () => {
    const { turns, newTurn } = queue();
    for (let i = 0; i <= maxQueuedTurns; i++) turns.push(newTurn());
    assert.throws(() => turns.push(newTurn()), { code: -32603, message: /limit is 8/ });
  });
});
