/**
 * Specs of the connection to `codex app-server`: requests, failures, hangs and its end.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppServer } from "../../../lib/codex/app-server/app-server.ts";
import { CodexRefused, toFailure } from "../../../lib/codex/app-server/errors.ts";
import { EngineFailure } from "../../../lib/engine/index.ts";
import { object, string, unknown } from "../../../lib/schema/index.ts";
import { FakeCodex } from "../../support/codex/fake-app-server.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function connect(more: Partial<ConstructorParameters<typeof AppServer>[1]> = {}) {
  const codex = new FakeCodex();
  const clock = fakeClock();
  const closed: EngineFailure[] = [];
  const bugs: string[] = [];
  const server = new AppServer(codex.launcher(), {
    after: clock.after,
    onNotification: () => {},
    onRequest: async () => ({}),
    onClosed: (failure) => closed.push(failure),
    onBug: (doing) => bugs.push(doing),
    ...more,
  });
  return { codex, clock, closed, bugs, server };
}

describe("the connection to the app-server", () => {
  it("a refusal and an answer in another shape reject the request", async () => {
    const { codex, server } = connect();
    codex.on("a", () => ({ error: { code: -32600, message: "no" } }));
    codex.on("b", () => ({ result: { name: 5 } }));
    await assert.rejects(
      server.request("a", {}, unknown),
      (cause) => cause instanceof CodexRefused && cause.code === -32600,
    );
    await assert.rejects(server.request("b", {}, object({ name: string })), CodexRefused);
  });

  it("a request that is not answered in time is rejected, also while probes are answered", async () => {
    const { codex, clock, server } = connect();
    codex.on("a", () => undefined);
    const asked = assert.rejects(
      server.request("a", {}, unknown),
      (cause) => cause instanceof EngineFailure && cause.kind === "hung",
    );
    for (let i = 0; i < 6; i++) {
      clock.advance(10_000);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    await asked;
    assert.equal(server.isOpen, true);
  });

  it("the end of the app-server rejects every waiting and every later request, once", async () => {
    const { codex, closed, server } = connect();
    codex.on("a", () => undefined);
    const asked = [server.request("a", {}, unknown), server.request("a", {}, unknown)];
    await codex.current.request("a", 1);
    codex.current.crash();
    for (const one of asked) await assert.rejects(one, EngineFailure);
    await assert.rejects(server.request("a", {}, unknown), EngineFailure);
    assert.equal(closed.length, 1);
    await server.closed;
  });

  it("no timer runs while nothing waits", async () => {
    const { clock, server } = connect();
    await server.request("a", {}, unknown);
    assert.equal(clock.pending(), 0);
    const release = server.watch();
    assert.equal(clock.pending(), 1);
    release();
    release();
    assert.equal(clock.pending(), 0);
  });

  it("a handler that throws is answered with an error and reported", async () => {
    const { codex, bugs } = connect({ onRequest: () => Promise.reject(new Error("secret")) });
    codex.current.ask(3, "x/y", { threadId: "t" });
    await codex.current.until(() => codex.current.answers.has(3));
    const answer = JSON.stringify(codex.current.answers.get(3));
    assert.match(answer, /-32603/);
    assert.doesNotMatch(answer, /secret/);
    assert.deepEqual(bugs, ["codex x/y"]);
  });

  it("a request of Codex with a repeated id is handled once", async () => {
    let times = 0;
    const { codex } = connect({ onRequest: async () => ++times });
    codex.current.ask(3, "x/y", {});
    codex.current.ask(3, "x/y", {});
    await codex.current.until(() => codex.current.answers.has(3));
    assert.equal(times, 1);
  });

  it("reading is paused until every caller has resumed", () => {
    const { codex, server } = connect();
    server.pause();
    server.pause();
    server.resume();
    assert.equal(codex.current.isPaused, true);
    server.resume();
    server.resume();
    assert.equal(codex.current.isPaused, false);
    server.pause();
    assert.equal(codex.current.isPaused, true);
  });

  it("refusals that the user can do something about get a sentence of their own", () => {
    const failureOf = (message: string): EngineFailure =>
      toFailure(new CodexRefused("m", { code: -32600, message }), "opening");
    assert.match(failureOf("thread x already has an active writer").message, /open in another Codex/);
    assert.equal(failureOf("no rollout found for thread id x").kind, "unknown_conversation");
    assert.match(failureOf("session x is archived. Run `codex unarchive x`").message, /archived/);
    assert.ok(failureOf(`Invalid request: unknown variant ${"a, ".repeat(5000)}`).message.length < 400);
  });
});
