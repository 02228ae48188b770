/**
 * The bridge as a whole: many sessions, a client that reads slowly, and shutdown.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ClaudeLink } from "../../lib/claude/index.ts";
import { FakeCli } from "../support/claude/fake-cli.ts";
import { settle } from "../support/wire/link-log.ts";
import { cwd, bridgeHarness, result, toolRequest } from "../support/bridge/bridge-harness.ts";

describe("bridge with many sessions", () => {
  it("three hundred sessions run side by side and each message reaches its session", async () => {
    await using one = bridgeHarness();
    const count = 300;
    for (let i = 0; i < count; i++) {
      one.send({ type: "session.create", id: `c${i}`, payload: { prompt: `p${i}`, cwd } });
    }
    await one.log.until(() => one.log.lines.length === count);
    const ids = new Map((await one.rest()).map((message) => [message["id"], message["session_id"]]));
    await settle();
    for (const fakeCli of one.fakeClis) {
      const prompt = fakeCli.frames.find((frame) => frame["type"] === "user")?.["message"].content;
      fakeCli.say({ ...result, result: prompt });
    }
    const said = await one.rest();
    assert.equal(said.length, count);
    for (const { session_id, payload } of said) assert.equal(session_id, ids.get(`c${payload.result.slice(1)}`));
  });

  it("at most maxStarting CLIs start at once, in the order of their requests", async () => {
    await using one = bridgeHarness({ maxStarting: 2 });
    one.answer = undefined;
    for (const id of ["a", "b", "c", "d"]) one.send({ type: "session.create", id, payload: { prompt: "", cwd } });
    await settle();
    assert.equal(one.fakeClis.length, 2);
    one.fakeClis[1]?.die("gone", 1);
    await settle();
    assert.equal(one.fakeClis.length, 3);
    const first = one.fakeClis[0];
    first?.answer(await first.hear("initialize"), {});
    await settle();
    assert.equal(one.fakeClis.length, 4);
    assert.deepEqual(
      (await one.rest()).map((message) => [message["id"], message["type"]]),
      [
        ["b", "error"],
        ["a", "session.created"],
      ],
    );
  });
});

describe("bridge with a client that reads slowly", () => {
  it("a client that reads slowly pauses the CLIs, and no message is lost or reordered", async () => {
    const paused: boolean[] = [];
    const fakeClis: FakeCli[] = [];
    await using one = bridgeHarness({
      launcher: (request) => {
        const fakeCli = new FakeCli(request, {});
        fakeClis.push(fakeCli);
        const place = paused.push(false) - 1;
        const link: ClaudeLink = {
          ...fakeCli.link,
          pause: () => ((paused[place] = true), fakeCli.link.pause()),
          resume: () => ((paused[place] = false), fakeCli.link.resume()),
        };
        return { link, ready: () => {} };
      },
    });
    for (const id of ["a", "b"]) one.send({ type: "session.create", id, payload: { prompt: "", cwd } });
    await one.rest();
    one.client.pause();
    const text = "x".repeat(10_000);
    const count = 400;
    for (let n = 0; n < count; n++) {
      for (const fakeCli of fakeClis) fakeCli.say({ type: "odd", n, text });
      if (n % 10 === 0) await settle();
    }
    await settle();
    assert.deepEqual(paused, [true, true]);
    const before = one.log.lines.length;
    one.client.resume();
    await one.log.until(() => one.log.lines.length >= before + 2 * count);
    const bySession = new Map<string, number[]>();
    for (const { session_id, payload } of await one.rest()) {
      bySession.set(session_id, [...(bySession.get(session_id) ?? []), payload.n]);
    }
    const inOrder = Array.from({ length: count }, (_, n) => n);
    assert.deepEqual([...bySession.values()], [inOrder, inOrder]);
    await settle();
    assert.deepEqual(paused, [false, false]);
  });

  it("a client that reads slowly does not delay a starting CLI", async () => {
    await using one = bridgeHarness();
    const { cli } = await one.create();
    one.client.pause();
    for (let n = 0; n < 200; n++) cli.say({ type: "odd", text: "x".repeat(10_000) });
    await settle();
    one.send({ type: "session.create", id: "late", payload: { prompt: "hello", cwd } });
    await settle();
    assert.equal((await one.fakeClis[1]?.hear("user"))?.["message"].content, "hello");
    one.client.resume();
  });
});

describe("shutdown of the bridge", () => {
  it("the end of the client's output stops every CLI, also those that start or wait for a callback", async () => {
    const one = bridgeHarness({ maxStarting: 2 });
    const { cli } = await one.create({}, "go");
    cli.say(toolRequest);
    await one.next();
    one.answer = undefined;
    for (const id of ["b", "c", "d"]) one.send({ type: "session.create", id, payload: { prompt: "", cwd } });
    await settle();
    assert.equal(one.fakeClis.length, 3);
    one.client.close("gone");
    await one.bridge.closed;
    assert.equal(one.fakeClis.length, 3, "nothing was started on the way out");
    for (const fakeCli of one.fakeClis) assert.equal(fakeCli.frames.at(-1)?.["request"]?.subtype, "interrupt");
    assert.deepEqual(one.bugs, []);
    assert.equal(one.clock.pending(), 0, "no timer is left");
  });

  it("the bridge closes only after a killed session's CLI has exited", async () => {
    const one = bridgeHarness();
    const { id } = await one.create();
    one.send({ type: "session.kill", id: "k", session_id: id, payload: {} });
    one.client.close("gone");
    await one.bridge.closed;
    assert.deepEqual(one.bugs, []);
  });

  it("close() stops every CLI and then closes the link", async () => {
    const one = bridgeHarness();
    await one.create();
    one.bridge.close("a signal");
    assert.equal(await one.bridge.closed, "a signal");
    await one.log.has("end");
  });
});
