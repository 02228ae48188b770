/**
 * Messages of a thread reach the conversation that listens to it, also those that come first.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ThreadListener, ThreadRouter } from "../../../lib/codex/app-server/thread-router.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function listener(): ThreadListener & { readonly methods: string[] } {
  const methods: string[] = [];
  return {
    methods,
    onNotification: ({ method }) => void methods.push(method),
    onRequest: () => Promise.resolve({}),
    onUnknownThreadTurn: () => {},
    onLost: () => {},
  };
}

describe("the thread router", () => {
  it("messages that come before the conversation listens are delivered when it does", () => {
    const router = new ThreadRouter(fakeClock().after);
    router.onNotification({ method: "turn/started", params: { threadId: "t" } });
    router.onNotification({ method: "turn/started", params: { threadId: "other" } });
    const mine = listener();
    router.subscribe("t", mine);
    router.onNotification({ method: "turn/completed", params: { threadId: "t" } });
    assert.deepEqual(mine.methods, ["turn/started", "turn/completed"]);
  });

  it("a thread that was closed and is opened again gets no messages from before it was closed", () => {
    const router = new ThreadRouter(fakeClock().after);
    router.subscribe("t", listener())();
    router.onNotification({ method: "thread/status/changed", params: { threadId: "t" } });
    router.onNotification({ method: "thread/closed", params: { threadId: "t" } });
    router.onNotification({ method: "thread/tokenUsage/updated", params: { threadId: "t" } });
    const second = listener();
    router.subscribe("t", second);
    assert.deepEqual(second.methods, ["thread/tokenUsage/updated"]);
  });
});
