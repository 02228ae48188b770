/**
 * Specs of child processes with both libraries: agents that exit, crash, print to stdout
 * or lose their client.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { before, describe, it } from "node:test";
import * as acp from "@agentclientprotocol/sdk";
import { openSession, runTurn } from "../support/interop/caller.ts";
import { ScriptedClient } from "../support/interop/scripted-client.ts";
import { describePairs } from "../support/interop/describe-pairs.ts";
import { officialClient } from "../support/interop/official.ts";
import { ourClient } from "../support/interop/ours.ts";
import { processPairs } from "../support/interop/pairs.ts";
import { end, linkTo, start, streamOf } from "../support/interop/program.ts";

/** The error each client reports for an agent that is gone; ours also says how it exited. */
const rows = processPairs.map((pair) => ({
  ...pair,
  ended:
    pair.client === "ours"
      ? { name: "ConnectionClosed", reason: "the program exited with code 7" }
      : { message: "ACP connection closed" },
}));

describePairs("a program", rows, ({ scripted, caller }, { ended }) => {
  it("an agent program may print to stdout: the connection stays open", async () => {
    const sessionId = await openSession(caller);
    assert.equal(await runTurn(caller, sessionId, "print"), "end_turn");
    assert.equal(await scripted.report(sessionId), "printed");
    assert.deepEqual(await caller.ask("_x/echo", ["alive"]), ["alive"]);
  });

  it("an agent program that dies fails every waiting request, and every later one", async () => {
    const sessionId = await openSession(caller);
    const waiting = assert.rejects(runTurn(caller, sessionId, "wait"), ended);
    await scripted.updates(sessionId).next();
    await assert.rejects(runTurn(caller, sessionId, "die"), ended);
    await waiting;
    await assert.rejects(caller.ask("_x/echo", ["alive"]), ended);
  });
});

describe("our agent program, left by the official client during a turn", { timeout: 60_000 }, () => {
  let stdout = "";
  let stderr = "";
  let exit: unknown[];
  before(async () => {
    const child = await start("our-agent");
    const closed = once(child, "close");
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("latin1")));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("latin1")));
    const scripted = new ScriptedClient();
    const caller = await officialClient(acp, streamOf(child), scripted).initialize(() => end(child));
    try {
      const sessionId = await openSession(caller);
      await runTurn(caller, sessionId, "print");
      await scripted.report(sessionId);
      runTurn(caller, sessionId, "wait").catch(() => {});
      await scripted.updates(sessionId).next();
    } finally {
      await caller.close();
    }
    exit = await closed;
  });

  it("our agent program exits by itself with code 0 when the official client leaves during a turn", () =>
    assert.deepEqual(exit, [0, null]));

  it("our agent program has written nothing to stderr: the library leaves its console alone", () =>
    assert.equal(stderr, ""));

  it("our agent program has written only messages and what it printed to stdout", () => {
    const lines = stdout.trimEnd().split("\n");
    const messages = lines.filter((line) => line !== "not a message");
    assert.equal(lines.length - messages.length, 1);
    // The responses to initialize, authenticate, new and the first prompt, and at least two updates.
    assert.ok(messages.length >= 6);
    for (const line of messages) assert.equal(JSON.parse(line).jsonrpc, "2.0");
  });
});

describe("our client, with the official agent program", { timeout: 60_000 }, () => {
  it("our client closes once the official agent program has exited", async (t) => {
    const link = await linkTo("official-agent");
    const caller = await ourClient(link, new ScriptedClient());
    t.after(caller.close);
    const pid = link.pid ?? assert.fail("the program did not start");
    assert.equal(process.kill(pid, 0), true);
    await caller.close();
    assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  });
});
