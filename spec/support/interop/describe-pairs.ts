/**
 * Runs the same specs for every pair of client and agent; each pair is connected once.
 *
 * Pairs run concurrently, since most of their time is the start of a child process; the
 * specs of one pair run in order.
 */
import { after, before, describe } from "node:test";
import type { Caller } from "./caller.ts";
import { ScriptedClient } from "./scripted-client.ts";
import type { Pair } from "./pairs.ts";

/** What a spec gets of its pair: the scripted client and the caller. */
export interface ConnectedPair {
  readonly scripted: ScriptedClient;
  /** Connected once specs run. */
  readonly caller: Caller;
}

export function describePairs<P extends Pair>(
  what: string,
  pairs: readonly P[],
  specs: (meeting: ConnectedPair, pair: P) => void,
): void {
  describe(what, { concurrency: true, timeout: 60_000 }, () => {
    for (const pair of pairs) {
      describe(`between ${pair.name}`, { concurrency: false }, () => {
        const scripted = new ScriptedClient();
        let connected: Caller | undefined;
        before(async () => {
          connected = await pair.connect(scripted);
        });
        after(() => connected?.close());
        specs({ scripted, caller: later(() => connected) }, pair);
      });
    }
  });
}

function later(connected: () => Caller | undefined): Caller {
  const now = (): Caller => {
    const caller = connected();
    if (caller === undefined) throw new Error("the pair is not connected");
    return caller;
  };
  return {
    get agent() {
      return now().agent;
    },
    call: (method, params, signal) => now().call(method, params, signal),
    ask: (method, params, signal) => now().ask(method, params, signal),
    tell: (method, params) => now().tell(method, params),
    cancel: (sessionId) => now().cancel(sessionId),
    close: () => now().close(),
  };
}
